import { foldAnswer } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { responseMeaning, type Members } from './meaning.ts';
import { isSpliced, sumStream } from './sum-stream.ts';

const { client, provider } = formatNamed('messages');

/**
 * Removes truncated tool calls, which have no non-streaming form. A different check compares the text of
 * truncated tool calls.
 */
function withoutCutCalls(body: Members): Members {
  const content = body.content as Members[];
  const isCut = (block: Members) => block.type === 'tool_use' && typeof block.input === 'string';
  return { ...body, content: content.map((block) => (isCut(block) ? { ...block, input: 'cut' } : block)) };
}

checkEvery(
  'stream equal to a plain response',
  'messages',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.sse'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const sum = sumStream(bytes.toString());
    if (sum.errors.length > 0 || isSpliced(bytes.toString())) return;
    const parser = provider.openStreamParser();
    const answer = foldAnswer([...parser.push(bytes), ...parser.end()]);
    const plain = client.renderResponse(answer, { id: '', model: '', createdAt: 0 });
    const expected = withoutCutCalls(sum.body);
    const cut = (expected.content as Members[]).flatMap(({ input }, at) => (input === 'cut' ? [at] : []));
    const content = (plain.content as Members[]).map((block, at) =>
      cut.includes(at) ? { ...block, input: 'cut' } : block,
    );
    expect(responseMeaning({ ...plain, content })).toEqual(responseMeaning(expected));
  },
);
