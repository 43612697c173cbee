import { foldAnswer } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { messageMeaning } from './meaning.ts';
import { sumStream } from './sum-stream.ts';

const { client, provider } = formatNamed('chat-completions');
type Members = Record<string, unknown>;

/** The fields that a caller of the gateway reads from a non-streaming response. */
function answerOf(body: Members): unknown {
  const choices = (body.choices ?? []) as {
    index: number;
    finish_reason?: string | null;
    message: Members;
  }[];
  return {
    usage: body.usage ?? null,
    choices: choices
      .sort((one, other) => one.index - other.index)
      .map(({ index, finish_reason: reason, message }) => {
        const {
          content,
          refusal,
          reasoning,
          reasoning_content: thought,
          tool_calls: calls,
        } = messageMeaning(message);
        return {
          index,
          reason: reason ?? null,
          content: content ?? null,
          refusal: refusal ?? null,
          thought: thought ?? reasoning ?? null,
          calls: ((calls ?? []) as Members[]).map(({ id, function: called }) => ({ id, called })),
        };
      }),
  };
}

checkEvery(
  'stream equal to a plain response',
  'chat_completions',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.sse'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const parser = provider.openStreamParser();
    const answer = foldAnswer([...parser.push(bytes), ...parser.end()]);
    const plain = client.renderResponse(answer, { id: '', model: '', createdAt: 0 });
    expect(answerOf(plain)).toEqual(answerOf(sumStream(bytes.toString()).body));
  },
);
