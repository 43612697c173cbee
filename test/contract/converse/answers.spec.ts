import { foldAnswer } from '@gateway/interchange';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { cutEvery, cutInsideCharacters } from '../cut-bytes.ts';
import { expectOrder } from '../event-order.ts';
import { client, isBinary, provider, rerender } from './exchange.ts';
import { responseMeaning, type Members } from './meaning.ts';
import { sumStream } from './sum-stream.ts';

const defaults = { id: 'default', model: 'default', createdAt: 1 };

checkEvery(
  'plain response parsed and rendered',
  'converse',
  (recording) => isAnswered(recording) && !isBinary(recording),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const events = provider.parseResponse(bytes);
    const rendered = client.renderResponse(foldAnswer(events), defaults);
    expect(responseMeaning(JSON.parse(JSON.stringify(rendered)) as Members)).toEqual(
      responseMeaning(JSON.parse(bytes.toString()) as Members),
    );
    expectOrder(events);
    expect(events.at(-1)).toEqual({ type: 'message-end' });
  },
);

checkEvery('stream parsed and rendered', 'converse_stream', isBinary, (recording) => {
  const before = sumStream(bodyOf(recording, 'response'));
  const after = sumStream(rerender(recording));
  expect(responseMeaning(after.body)).toEqual(responseMeaning(before.body));
  expect(after.exceptions).toEqual(before.exceptions);
  expect(after.isStopped).toBe(before.isStopped);
});

checkEvery('stream parsed in small chunks', 'converse_stream', isBinary, (recording) => {
  const bytes = bodyOf(recording, 'response');
  const parse = (chunks: readonly Buffer[]) => {
    const parser = provider.openStreamParser();
    return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
  };
  const whole = parse([bytes]);
  expectOrder(whole);
  expect(whole.at(-1)).toEqual({ type: 'message-end' });
  for (const size of [1, 2, 3, 7]) expect(parse(cutEvery(bytes, size))).toEqual(whole);
  expect(parse(cutInsideCharacters(bytes))).toEqual(whole);
});

checkEvery('stream equal to a plain response', 'converse_stream', isBinary, (recording) => {
  const bytes = bodyOf(recording, 'response');
  const parser = provider.openStreamParser();
  const answer = foldAnswer([...parser.push(bytes), ...parser.end()]);
  const plain = client.renderResponse(answer, defaults);
  const expected = responseMeaning(sumStream(bytes).body);
  // A response without metadata has no token usage, although the SDK's types declare usage as required.
  expect(responseMeaning(JSON.parse(JSON.stringify(plain)) as Members)).toEqual({
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    ...expected,
  });
});
