import type { PublicError, StreamEvent } from '@gateway/interchange';
import { encodeEventStream } from '../event-stream/encode-event-stream.ts';
import { EventStreamDecoder } from '../event-stream/event-stream-decoder.ts';
import { textHeader, type EventStreamHeader } from '../event-stream/event-stream-message.ts';
import { converse } from './converse.ts';
import { encodeFrame, eventFrame } from './client/stream-frames.ts';

const { client, provider } = converse;
const frames = [
  eventFrame('messageStart', { role: 'assistant', p: 'abc' }),
  eventFrame('contentBlockDelta', { delta: { text: 'né' }, contentBlockIndex: 0 }),
  eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
  eventFrame('contentBlockStart', {
    start: { toolUse: { toolUseId: 'a', name: 'f' } },
    contentBlockIndex: 1,
  }),
  eventFrame('contentBlockStop', { contentBlockIndex: 1 }),
  eventFrame('messageStop', { stopReason: 'tool_use' }),
  eventFrame('metadata', { usage: { inputTokens: 1, outputTokens: 2 }, metrics: { latencyMs: 3 } }),
].map(encodeFrame);
const whole = Buffer.concat(frames);

function parse(chunks: readonly Buffer[]): { events: StreamEvent[]; failure: unknown } {
  const parser = provider.openStreamParser();
  const events: StreamEvent[] = [];
  try {
    for (const chunk of chunks) events.push(...parser.push(chunk));
    events.push(...parser.end());
    return { events, failure: undefined };
  } catch (failure) {
    return { events, failure };
  }
}

describe("a provider's binary stream", () => {
  it('emits an empty object for a call without arguments', () => {
    expect(parse([whole]).events).toContainEqual({
      type: 'tool-call-delta',
      choice: 0,
      block: 1,
      argumentsText: '{}',
    });
  });

  it('is truncated if the stream ends inside a frame or before the stop reason', () => {
    const stopAt = whole.length - frames[6]!.length;
    for (let length = 0; length < whole.length; length += 1) {
      const { events, failure } = parse([whole.subarray(0, length)]);
      expect(failure).toBeUndefined();
      // A stream without metadata is complete if it has a stop reason.
      expect(events.some(({ type }) => type === 'message-end')).toBe(length === stopAt);
    }
  });

  it('emits the events before a wrong checksum and then fails, for any chunk boundaries', () => {
    const wrong = Buffer.from(whole);
    wrong[frames[0]!.length + frames[1]!.length + 40]! ^= 1;
    const read = parse([wrong]);
    expect(read.failure).toMatchObject({ code: 'upstream_invalid' });
    expect(read.events.map(({ type }) => type)).toEqual(['message-start', 'text-start', 'text-delta']);
    expect(parse([...wrong].map((byte) => Buffer.of(byte)))).toEqual(read);
  });

  it('fails for a payload that is not JSON', () => {
    const headers = new Map<string, EventStreamHeader>([
      [':event-type', { type: 'string', value: 'metadata' }],
      [':message-type', { type: 'string', value: 'event' }],
    ]);
    expect(parse([encodeEventStream({ headers, payload: Buffer.from('{') })]).failure).toMatchObject({
      code: 'upstream_invalid',
    });
  });

  it('skips unknown events and deltas', () => {
    const later = [
      eventFrame('future', { a: 1 }),
      eventFrame('contentBlockDelta', { delta: { future: 1 }, contentBlockIndex: 0 }),
      eventFrame('__proto__', {}),
    ];
    expect(parse([...later.map(encodeFrame), whole]).events).toEqual(parse([whole]).events);
  });

  it('emits an exception, with name and message, as the last event', () => {
    const exception = encodeFrame({
      kind: 'exception',
      name: 'throttlingException',
      payload: { message: 'slow down' },
    });
    const { events } = parse([frames[0]!, exception, whole]);
    expect(events.map(({ type }) => type)).toEqual(['message-start', 'error']);
    expect(events[1]).toMatchObject({
      message: 'slow down',
      code: 'throttlingException',
      errorType: 'rate_limit_error',
    });
  });

  it('emits an error frame with the message from a header', () => {
    const header = (value: string): EventStreamHeader => ({ type: 'string', value });
    const headers = new Map([
      [':message-type', header('error')],
      [':error-code', header('InternalError')],
      [':error-message', header('broke')],
    ]);
    expect(parse([encodeEventStream({ headers, payload: Buffer.alloc(0) })]).events).toMatchObject([
      { type: 'error', message: 'broke', code: 'InternalError' },
    ]);
  });

  it('joins the bytes of hidden reasoning from several frames', () => {
    const piece = (bytes: string) =>
      encodeFrame(
        eventFrame('contentBlockDelta', {
          delta: { reasoningContent: { redactedContent: Buffer.from(bytes).toString('base64') } },
          contentBlockIndex: 0,
        }),
      );
    const { events } = parse([piece('Eu8E'), piece('C'), piece('kgI'), ...frames.slice(5)]);
    expect(events).toContainEqual({ type: 'thinking-end', choice: 0, block: 0, redacted: 'Eu8ECkgI' });
  });
});

describe('a binary stream re-rendered for a client', () => {
  it("keeps hidden reasoning unchanged: Claude's text, and another model's bytes", () => {
    for (const bytes of [Buffer.from('Eu8ECkgI'), Buffer.from([0, 1, 254, 255])]) {
      const delta = { reasoningContent: { redactedContent: bytes.toString('base64') } };
      const frame = encodeFrame(eventFrame('contentBlockDelta', { delta, contentBlockIndex: 0 }));
      const renderer = client.openStreamRenderer({ id: 'r', model: 'm', createdAt: 0, includesUsage: true });
      const rendered = parse([frame, ...frames.slice(5)]).events.map((event) => renderer.render(event));
      expect(Buffer.concat(rendered.map((piece) => Buffer.from(piece))).toString('latin1')).toContain(
        JSON.stringify(delta),
      );
    }
  });
});

describe('errors sent to a client', () => {
  const error = (
    status: number,
    code: string | null = null,
    source: PublicError['source'] = 'gateway',
  ): PublicError => ({
    status,
    code,
    source,
    type: 'api_error',
    message: 'failed',
    param: null,
  });

  it.each([
    [400, null, 400, 'ValidationException'],
    [401, 'invalid_api_key', 401, 'AccessDeniedException'],
    [403, null, 403, 'AccessDeniedException'],
    [404, 'model_not_found', 404, 'ResourceNotFoundException'],
    [413, null, 413, 'ValidationException'],
    [429, null, 429, 'ThrottlingException'],
    [500, null, 500, 'InternalServerException'],
    [502, 'upstream_invalid', 502, 'InternalServerException'],
    [503, null, 503, 'ServiceUnavailableException'],
    [504, 'upstream_timeout', 504, 'ModelTimeoutException'],
    [529, null, 503, 'ServiceUnavailableException'],
  ])('renders status %i and code %s as status %i with exception %s', (status, code, sent, exception) => {
    const rendered = client.renderError(error(status, code), 'id-1');
    expect(rendered.status).toBe(sent);
    expect(rendered.headers).toMatchObject({ 'x-amzn-errortype': exception, 'x-amzn-requestid': 'id-1' });
    expect(JSON.parse(rendered.body)).toEqual({ message: 'failed' });
  });

  it('keeps a well-formed exception name from a provider that uses this format', () => {
    const nameOf = (code: string) =>
      client.renderError(error(424, code, 'provider'), 'id').headers['x-amzn-errortype'];
    expect(nameOf('ModelNotReadyException')).toBe('ModelNotReadyException');
    expect(nameOf('x\r\ny: Exception')).toBe('ModelErrorException');
  });

  it.each([
    [400, 'validationException'],
    [404, 'validationException'],
    [429, 'throttlingException'],
    [500, 'internalServerException'],
    [503, 'serviceUnavailableException'],
    [424, 'modelStreamErrorException'],
  ])('renders status %i in a stream as the exception %s', (status, name) => {
    const bytes = Buffer.from(client.renderStreamError(error(status), 'id'));
    const [message] = [...new EventStreamDecoder().push(bytes)];
    expect(textHeader(message!, ':message-type')).toBe('exception');
    expect(textHeader(message!, ':exception-type')).toBe(name);
    expect(JSON.parse(Buffer.from(message!.payload).toString())).toEqual({ message: 'failed' });
  });
});

describe('errors from a provider', () => {
  it.each([
    [
      429,
      '{"message":"Too many"}',
      { 'x-amzn-errortype': 'ThrottlingException:http://internal/' },
      { message: 'Too many', code: 'ThrottlingException', type: 'rate_limit_error' },
    ],
    [
      403,
      '{"__type":"com.amazon.coral.service#UnrecognizedClientException","Message":"bad token"}',
      {},
      { message: 'bad token', code: 'UnrecognizedClientException', type: 'authentication_error' },
    ],
    [
      503,
      '<html>',
      undefined,
      { message: 'The provider answered with status 503.', code: null, type: 'api_error' },
    ],
    [400, 'plain words', {}, { message: 'plain words', type: 'invalid_request_error' }],
  ])('parses an error with status %i: %s', (status, body, headers, expected) => {
    expect(provider.parseError(status, body, headers)).toMatchObject(expected);
  });

  it('parses an error in a body with status 200, and rejects an empty body', () => {
    expect(provider.parseResponse(Buffer.from('{"message":"no"}'))).toMatchObject([
      { type: 'error', message: 'no' },
    ]);
    expect(() => provider.parseResponse(Buffer.from('{}'))).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }) as Error,
    );
  });
});
