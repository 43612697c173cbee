import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { expectOrder } from '../event-order.ts';
import { responseMeaning } from './meaning.ts';
import { isSpliced, sumStream } from './sum-stream.ts';

const { client, provider } = formatNamed('messages');

checkEvery(
  'stream parsed and rendered',
  'messages',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.sse'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const parser = provider.openStreamParser();
    if (isSpliced(bytes.toString())) {
      expect(() => parser.push(bytes)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
      return;
    }
    const renderer = client.openStreamRenderer({ id: '', model: '', createdAt: 0, includesUsage: true });
    const events = [...parser.push(bytes), ...parser.end()];
    const rendered = events.map((event) => Buffer.from(renderer.render(event)).toString()).join('');
    const before = sumStream(bytes.toString());
    const after = sumStream(rendered);
    if (before.errors.length === 0) expectOrder(events);
    expect(responseMeaning(after.body)).toEqual(responseMeaning(before.body));
    expect(after.errors).toEqual(before.errors);
    expect(after.isEnded).toBe(before.isEnded);
    expect(after.misnamed).toEqual([]);
  },
);
