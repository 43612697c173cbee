import { foldAnswer, type ChatPart, type StreamEvent } from '@gateway/interchange';
import { cohere, providerFormatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { cutEvery, cutInsideCharacters } from '../cut-bytes.ts';
import { expectOrder } from '../event-order.ts';
import { expectTruncated } from '../expect-truncated.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { isVersionOne, messageMeaning, type Members } from './meaning.ts';
import { sumStream } from './sum-stream.ts';

const { provider } = providerFormatNamed('cohere');

function parseStream(chunks: readonly Buffer[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

/** Rewrites the response as a turn of the next request, with the citations in the turn's text. */
function messageOf(parts: readonly ChatPart[]): Members {
  const request = {
    model: 'm',
    messages: [{ role: 'assistant', parts, extensions: { cohere: { spelling: { content: 'list' } } } }],
    tools: [],
    toolChoice: { mode: 'unset' },
    settings: {},
    stream: false,
    streamsUsage: true,
  } as const;
  const { body, losses } = provider.renderRequest(request, { model: 'm' });
  expect(losses).toEqual([]);
  const [message] = (JSON.parse(JSON.stringify(body)) as { messages: Members[] }).messages;
  const citations = parts
    .flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []))
    .flatMap(({ extensions }) => extensions?.cohere?.citation ?? []);
  return { ...message, citations };
}

function expectSame(events: readonly StreamEvent[], original: Members): void {
  expectOrder(events);
  const answer = foldAnswer(events);
  const [choice] = answer.choices;
  expect([answer.id, choice?.rawReason, answer.format]).toEqual([
    original.id,
    original.finish_reason,
    'cohere',
  ]);
  expect(answer.extensions.cohere?.usage).toEqual(original.usage);
  expect(messageMeaning(messageOf(choice!.parts))).toEqual(messageMeaning(original.message as Members));
  const { tokens } = original.usage as { tokens: { input_tokens: number; output_tokens: number } };
  expect(answer.usage).toMatchObject({
    inputTokens: tokens.input_tokens,
    outputTokens: tokens.output_tokens,
  });
  const callsTools = choice!.parts.some((part) => part.type === 'tool-call');
  expect(choice!.finishReason === 'tool-calls').toBe(callsTools);
  expect(events.at(-1)).toEqual({ type: 'message-end' });
}

checkEvery(
  'plain response parsed',
  'cohere_chat',
  (recording) => isAnswered(recording) && !recording.streaming,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const original = JSON.parse(bytes.toString()) as Members;
    if (isVersionOne(original)) {
      lossesChannel.publish({ from: 'cohere_chat', to: 'cohere', field: 'an answer of version 1' });
      expect(() => provider.parseResponse(bytes)).toThrow(
        expect.objectContaining({ code: 'upstream_invalid' }),
      );
      return;
    }
    expectSame(provider.parseResponse(bytes), original);
  },
);

checkEvery(
  'stream equal to a plain response',
  'cohere_chat',
  (recording) => isAnswered(recording) && recording.streaming,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const sum = sumStream(bytes.toString());
    expectSame(parseStream([bytes]), sum);
    // A non-streaming response built from the stream's content must have the same meaning as the stream.
    const plain = foldAnswer(provider.parseResponse(Buffer.from(JSON.stringify(sum))));
    expect(foldAnswer(parseStream([bytes]))).toEqual(plain);
  },
);

checkEvery(
  'stream parsed in small chunks',
  'cohere_chat',
  (recording) => isAnswered(recording) && recording.streaming,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const whole = parseStream([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    for (const size of [1, 2, 3, 7]) expect(parseStream(cutEvery(bytes, size))).toEqual(whole);
    expect(parseStream(cutInsideCharacters(bytes))).toEqual(whole);
    const wideEnds = Buffer.from(bytes.toString().replaceAll('\n', '\r\n'));
    expect(parseStream(cutEvery(wideEnds, 1))).toEqual(whole);
  },
);

checkEvery(
  'truncated stream parsed',
  'cohere_chat',
  (recording) => isAnswered(recording) && recording.streaming && bodyOf(recording, 'response').length < 4_000,
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    expectTruncated(cohere, bytes, bytes.lastIndexOf('}') + 1);
  },
);

checkEvery(
  'provider error parsed',
  'cohere_chat',
  (recording) => recording.status >= 400,
  (recording) => {
    const body = bodyOf(recording, 'response').toString();
    const { message, error_type: code = null } = JSON.parse(body) as { message: string; error_type?: string };
    expect(provider.parseError(recording.status, body)).toMatchObject({ message, code });
  },
);
