import { foldAnswer, type StreamEvent } from '@gateway/interchange';
import { providerFormatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { cutEvery, cutInsideCharacters } from '../cut-bytes.ts';
import { expectOrder } from '../event-order.ts';
import { expectTruncated } from '../expect-truncated.ts';
import { readResponses } from '../gateway/source-readings-responses.ts';

const format = providerFormatNamed('responses');
const { provider } = format;

function parseStream(chunks: readonly Buffer[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

type Members = Record<string, unknown>;

/**
 * Builds a complete response from a stream. Takes the content from `output_item.done` events, and all other
 * fields from the last event. Keeps the encrypted content of the items, which differs from the encrypted
 * content in the last event. Returns undefined for a recording with edited deltas, because the text of edited
 * deltas differs from the text of the items.
 */
function sumStream(bytes: Buffer): Members | undefined {
  const events = bytes
    .toString()
    .split(/\r?\n/)
    .flatMap((line) => (/^data: ?\{/.test(line) ? [JSON.parse(line.slice(5)) as Members] : []));
  const of = (type: RegExp): Members[] => events.filter((event) => type.test(String(event['type'])));
  const items = of(/^response\.output_item\.done$/)
    .toSorted((one, other) => Number(one['output_index']) - Number(other['output_index']))
    .map(({ item }) => item as Members);
  const [last] = of(/^response\.(?:completed|incomplete)$/);
  const deltas = of(/(?:output_text|function_call_arguments)\.delta$/).map(({ delta }) => delta);
  const texts = items.flatMap((item) =>
    item['type'] === 'message'
      ? (item['content'] as Members[]).map(({ text }) => text ?? '')
      : item['type'] === 'function_call'
        ? [item['arguments']]
        : [],
  );
  const isEdited = deltas.length > 0 && deltas.join('') !== texts.join('');
  return items.length === 0 || isEdited ? undefined : { ...(last?.['response'] as Members), output: items };
}

const answered = (recording: Parameters<typeof readResponses>[0]): boolean =>
  isAnswered(recording) && readResponses(recording) !== null;

checkEvery(
  'plain response parsed',
  'responses',
  (recording) => answered(recording) && !recording.streaming,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const original = JSON.parse(bytes.toString()) as { id: string; usage?: object; output: object[] };
    const events = provider.parseResponse(bytes);
    expectOrder(events);
    const answer = foldAnswer(events);
    expect([answer.id, answer.format]).toEqual([original.id, 'responses']);
    if (original.usage) expect(answer.extensions.responses?.['usage']).toEqual(original.usage);
    expect(events.at(-1)).toEqual({ type: 'message-end' });
  },
);

checkEvery(
  'stream equal to a plain response',
  'responses',
  (recording) => answered(recording) && recording.streaming,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const events = parseStream([bytes]);
    expectOrder(events);
    expect(events.at(-1)).toEqual({ type: 'message-end' });
    const sum = sumStream(bytes);
    if (sum === undefined) return;
    const plain = foldAnswer(provider.parseResponse(Buffer.from(JSON.stringify(sum))));
    expect(foldAnswer(events)).toEqual(plain);
  },
);

checkEvery(
  'stream parsed in small chunks',
  'responses',
  (recording) => answered(recording) && recording.streaming && bodyOf(recording, 'response').length < 40_000,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const whole = parseStream([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    for (const size of [1, 2, 3, 7]) expect(parseStream(cutEvery(bytes, size))).toEqual(whole);
    expect(parseStream(cutInsideCharacters(bytes))).toEqual(whole);
  },
);

checkEvery(
  'truncated stream parsed',
  'responses',
  (recording) => answered(recording) && recording.streaming && bodyOf(recording, 'response').length < 4_000,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    expectTruncated(format, bytes, bytes.lastIndexOf('event: '));
  },
);

checkEvery(
  'failed response parsed',
  'responses',
  (recording) =>
    recording.streaming && /"type": ?"response\.failed"/.test(bodyOf(recording, 'response').toString()),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const events = parseStream([bytes]);
    const error = events.find(({ type }) => type === 'error');
    expect(error).toMatchObject({ message: expect.stringMatching(/./) as string });
    expect(events.some(({ type }) => type === 'message-end')).toBe(false);
  },
);

checkEvery(
  'provider error parsed',
  'responses',
  (recording) => recording.status >= 400,
  (recording) => {
    const body = bodyOf(recording, 'response').toString();
    const { error, detail } = JSON.parse(body) as { error?: { message: string } | string; detail?: string };
    const message = typeof error === 'object' ? error.message : (error ?? detail);
    expect(provider.parseError(recording.status, body)).toMatchObject({ message });
  },
);
