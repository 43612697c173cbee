import type { AnswerReading, CallReading, StopReading } from './answer-reading.ts';
import type { ClientName } from './sdk-clients.ts';
import type { Source } from './source-readings.ts';

/**
 * Response content that a client does not receive, because its format cannot express the content. Reviewers
 * check the list of losses.
 */
interface AnswerLoss {
  readonly field: string;
  readonly reason: string;
  readonly to: readonly ClientName[];
  readonly concerns: (source: Source) => boolean;
  /**
   * Restricts the loss to streaming or to non-streaming responses. By default, the loss applies to streaming
   * and non-streaming responses.
   */
  readonly streamed?: boolean;
  /** Removes the lost content from the expected response. By default, the expected response stays unchanged. */
  readonly apply?: (reading: AnswerReading) => AnswerReading;
}

/** Returns true if a tool call's arguments are invalid JSON because the model's output was truncated. */
const isBroken = ({ input }: CallReading): boolean => typeof input === 'string';

const everyClient: readonly ClientName[] = ['chat-completions', 'messages', 'converse', 'responses'];

const says = (name: string) => (source: Source) => source.beside.has(name);
const stopsBy =
  (...reasons: readonly StopReading[]) =>
  ({ reading }: Source) =>
    reasons.includes(reading.reason);
const stopAs =
  (reason: StopReading) =>
  (reading: AnswerReading): AnswerReading => ({ ...reading, reason });

export const answerLosses: readonly AnswerLoss[] = [
  {
    field: 'choices[1..]',
    reason: 'one answer is all that the format has: the first is told',
    to: ['messages', 'converse', 'responses'],
    concerns: says('choices'),
  },
  {
    field: 'stop reason: an error of the model',
    reason: 'the format has no word for it, and its clients know no others',
    to: ['chat-completions', 'messages', 'responses'],
    concerns: stopsBy('error'),
    apply: stopAs('stop'),
  },
  {
    field: 'stop reason: a pause',
    reason: 'the format has no word for it, and its clients know no others',
    to: ['chat-completions', 'converse', 'responses'],
    concerns: stopsBy('pause'),
    apply: stopAs('stop'),
  },
  {
    field: 'stop reason: a word without a meaning elsewhere',
    reason: 'clients know their own words alone',
    to: everyClient,
    concerns: stopsBy('unknown'),
    apply: stopAs('stop'),
  },
  {
    field: 'stop reason: none was told',
    reason: 'the SDK demands one',
    to: ['converse', 'responses'],
    concerns: stopsBy('none'),
    apply: stopAs('stop'),
  },
  {
    field: 'usage: more cached tokens than tokens',
    reason: 'the format counts cached tokens apart, so no more than there are can be told',
    to: ['messages', 'converse'],
    concerns: ({ reading: { usage } }) => usage.cached + usage.written > usage.input,
    apply: (reading) => ({ ...reading, usage: { ...reading.usage, cached: reading.usage.input } }),
  },
  {
    field: 'tool call arguments that are no JSON',
    reason: 'the format has objects alone: the text is the one member of an object',
    to: ['messages', 'converse'],
    streamed: false,
    concerns: ({ reading }) => reading.calls.some(isBroken),
    apply: (reading) => ({
      ...reading,
      calls: reading.calls.map((call) =>
        isBroken(call) ? { ...call, input: { arguments: call.input } } : call,
      ),
    }),
  },
  {
    field: 'tool call arguments that are null',
    reason: 'the SDK has objects alone: an empty one says the same',
    to: ['converse'],
    streamed: false,
    concerns: ({ reading }) => reading.calls.some(({ input }) => input === null),
    apply: (reading) => ({
      ...reading,
      calls: reading.calls.map((call) => ({ ...call, input: call.input ?? {} })),
    }),
  },
  {
    field: 'parts of its own',
    reason:
      "what a provider's own tools were asked and answered, and media but for the images of converse, have no place in the format's answers",
    to: everyClient,
    concerns: says('parts of its own'),
  },
  {
    field: 'logprobs',
    reason: 'the format has no place for them',
    to: ['messages', 'converse', 'responses'],
    concerns: says('logprobs'),
  },
  {
    field: 'citations',
    reason: 'the format cites pages of the web alone, without their words: places in documents are not told',
    to: ['chat-completions', 'responses'],
    concerns: says('citations'),
  },
  {
    field: 'annotations',
    reason: 'places in the whole text, where the format cites block by block',
    to: ['messages', 'converse', 'responses'],
    concerns: says('annotations'),
  },
  {
    field: 'audio',
    reason: 'the format has no audio in answers',
    to: ['messages', 'converse', 'responses'],
    concerns: says('audio'),
  },
  {
    field: 'redacted thinking',
    reason: 'the format has no place for it',
    to: ['chat-completions'],
    concerns: says('redacted thinking'),
  },
  {
    field: 'stop reason: calls without a stop for calls, or the reverse',
    reason: 'the format has no stop reason, and its clients look for calls in the output',
    to: ['responses'],
    concerns: ({ reading: { reason, calls } }) =>
      !['length', 'filter'].includes(reason) && (reason === 'calls') !== calls.length > 0,
    apply: (reading) => ({ ...reading, reason: reading.calls.length > 0 ? 'calls' : 'stop' }),
  },
];

/** Returns the content that a client of the given format should read from a response, and the names of the losses. */
export function applyAnswerLosses(
  source: Source,
  client: ClientName,
  isStreamed: boolean,
): { readonly expected: AnswerReading; readonly losses: readonly string[] } {
  const lost = answerLosses.filter(
    ({ to, concerns, streamed = isStreamed }) =>
      to.includes(client) && streamed === isStreamed && concerns(source),
  );
  const expected = lost.reduce((reading, { apply }) => apply?.(reading) ?? reading, source.reading);
  return { expected, losses: lost.map(({ field, reason }) => `${field} (${reason})`) };
}
