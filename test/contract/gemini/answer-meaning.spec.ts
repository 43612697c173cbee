import { foldAnswer, type ChatAnswer, type StreamEvent } from '@gateway/interchange';
import { gemini, providerFormatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { cutEvery, cutInsideCharacters } from '../cut-bytes.ts';
import { expectOrder } from '../event-order.ts';
import { expectTruncated } from '../expect-truncated.ts';
import { camel, partMeaning, type Members } from './meaning.ts';
import { chunksOf, sumAnswer, type AnswerSum } from './sum-answer.ts';

const { provider } = providerFormatNamed('gemini');

function parseStream(chunks: readonly Buffer[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

/**
 * Rewrites the response as a turn of the next request. Only Gemini's format can express all content of the
 * response.
 */
function partsOf(answer: ChatAnswer, choice: number): Members[] {
  const { parts } = answer.choices.find(({ index }) => index === choice)!;
  const request = {
    model: 'gemini-3',
    messages: [{ role: 'assistant', parts }],
    tools: [],
    toolChoice: { mode: 'unset' },
    settings: {},
    stream: false,
    streamsUsage: true,
    extensions: { gemini: {} },
  } as const;
  const { body, losses } = provider.renderRequest(request, { model: 'gemini-3' });
  expect(losses).toEqual([]);
  const [content] = (camel(JSON.parse(JSON.stringify(body))) as { contents: { parts: Members[] }[] })
    .contents;
  return content!.parts;
}

function expectSame(events: readonly StreamEvent[], sum: AnswerSum): void {
  const answer = foldAnswer(events);
  if (sum.error === undefined) expectOrder(events);
  expect([answer.id, answer.model, answer.format]).toEqual([sum.id, sum.model, 'gemini']);
  expect(camel(answer.extensions.gemini?.usage ?? undefined)).toEqual(sum.usage);
  expect(answer.extensions.gemini?.promptFeedback).toEqual(sum.promptFeedback);
  for (const { index, parts, reason, groundingMetadata } of sum.candidates) {
    const choice = answer.choices.find((candidate) => candidate.index === index)!;
    expect(choice.rawReason).toBe(reason);
    expect(partsOf(answer, index)).toEqual(parts.map(partMeaning));
    if (groundingMetadata !== undefined)
      expect(camel(choice.extensions.gemini?.groundingMetadata)).toEqual(groundingMetadata);
    const calls = choice.parts.filter((part) => part.type === 'tool-call');
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    if (reason === 'STOP') expect(choice.finishReason).toBe(calls.length > 0 ? 'tool-calls' : 'stop');
  }
  if (sum.candidates.length === 0)
    expect(answer.choices[0]).toMatchObject({ finishReason: 'content-filter', parts: [] });
  const ends = events.filter(({ type }) => type === 'message-end' || type === 'error');
  const isWhole = sum.candidates.every(({ reason }) => reason !== undefined);
  if (sum.error !== undefined) expect(ends).toMatchObject([{ type: 'error', message: sum.error.message }]);
  else expect(ends).toEqual(isWhole ? [{ type: 'message-end' }] : []);
}

function expectUsage(events: readonly StreamEvent[], sum: AnswerSum): void {
  const counts = sum.usage as Record<string, number | undefined> | undefined;
  const { usage } = foldAnswer(events);
  if (counts === undefined) return;
  expect(usage!.cachedInputTokens).toBe(counts.cachedContentTokenCount);
  expect(usage!.reasoningTokens).toBe(counts.thoughtsTokenCount);
  const { promptTokenCount: prompt = 0, toolUsePromptTokenCount: found = 0 } = counts;
  const { candidatesTokenCount: said = 0, thoughtsTokenCount: thought = 0 } = counts;
  expect(usage!.inputTokens + usage!.outputTokens).toBe(
    counts.totalTokenCount ?? prompt + found + said + thought,
  );
  expect(usage!.outputTokens).toBe(said + thought);
}

const isStream = (recording: { streaming: boolean }): boolean => recording.streaming;

checkEvery(
  'plain response parsed',
  'gemini',
  (recording) => isAnswered(recording) && !isStream(recording),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const chunks = chunksOf(bytes.toString());
    // The recorded response comes from a different endpoint, which creates a prompt cache.
    if (chunks[0]?.candidates === undefined && chunks[0]?.promptFeedback === undefined) {
      expect(() => provider.parseResponse(bytes)).toThrow(
        expect.objectContaining({ code: 'upstream_invalid' }),
      );
      return;
    }
    const events = provider.parseResponse(bytes);
    expectSame(events, sumAnswer(chunks));
    expectUsage(events, sumAnswer(chunks));
  },
);

checkEvery(
  'stream equal to a plain response',
  'gemini',
  (recording) => isAnswered(recording) && isStream(recording),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const events = parseStream([bytes]);
    const sum = sumAnswer(chunksOf(bytes.toString()));
    expectSame(events, sum);
    expectUsage(events, sum);
  },
);

checkEvery(
  'stream parsed in small chunks',
  'gemini',
  (recording) => isAnswered(recording) && isStream(recording),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const whole = parseStream([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    for (const size of [1, 2, 3, 7]) expect(parseStream(cutEvery(bytes, size))).toEqual(whole);
    expect(parseStream(cutInsideCharacters(bytes))).toEqual(whole);
  },
);

checkEvery(
  'stream as a list and as events',
  'gemini',
  (recording) => isAnswered(recording) && isStream(recording),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const chunks = chunksOf(bytes.toString());
    const list = Buffer.from(JSON.stringify(chunks, undefined, 2));
    const events = Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(''));
    expect(parseStream(cutEvery(list, 5))).toEqual(parseStream([bytes]));
    expect(parseStream(cutEvery(events, 5))).toEqual(parseStream([bytes]));
  },
);

checkEvery(
  'truncated stream parsed',
  'gemini',
  (recording) => isAnswered(recording) && recording.streaming && bodyOf(recording, 'response').length < 4_000,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    // A JSON list is complete at its closing bracket, and an event stream is complete at its last closing brace.
    expectTruncated(gemini, bytes, bytes.lastIndexOf(bytes[0] === 0x5b ? ']' : '}') + 1);
  },
);

checkEvery(
  'provider error parsed',
  'gemini',
  (recording) => recording.status >= 400,
  (recording) => {
    const body = bodyOf(recording, 'response').toString();
    const [first] = [JSON.parse(body) as unknown].flat() as { error: { message: string; status: string } }[];
    const error = provider.parseError(recording.status, body);
    expect(error.message).toBe(first!.error.message.slice(0, 2000));
    expect(error.code).toBe(first!.error.status);
    expect(error.type).toMatch(/_error$/);
  },
);
