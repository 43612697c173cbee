import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { responseMeaning } from './meaning.ts';
import { sumStream } from './sum-stream.ts';

const { client, provider } = formatNamed('chat-completions');

checkEvery(
  'stream parsed and rendered',
  'chat_completions',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.sse'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const parser = provider.openStreamParser();
    const renderer = client.openStreamRenderer({ id: '', model: '', createdAt: 0, includesUsage: true });
    const events = [...parser.push(bytes), ...parser.end()];
    const rendered = events.map((event) => Buffer.from(renderer.render(event)).toString()).join('');
    const before = sumStream(bytes.toString());
    const after = sumStream(rendered);
    expect(responseMeaning(after.body)).toEqual(responseMeaning(before.body));
    expect(after.errors).toEqual(before.errors);
    // The renderer adds a missing terminator to a complete stream, but not to a failed stream.
    const isWhole = (before.body.choices as { finish_reason?: string }[]).every(
      (choice) => choice.finish_reason,
    );
    expect(after.isEnded).toBe(before.isEnded || (isWhole && before.errors.length === 0));
  },
);
