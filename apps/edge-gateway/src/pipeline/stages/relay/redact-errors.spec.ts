import { encodeEventStream, EventStreamDecoder } from '@gateway/wire-formats';
import { redactErrorBody, redactErrorEvents, redactErrorFrames } from './redact-errors.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY';

describe('a provider’s error', () => {
  it('does not contain the credential of the provider call, in any spelling', () => {
    const body = Buffer.from(`{"error":"bad key ${secret} or wJalrXUtnFEMI\\/K7MDENG+bPxRfiCY"}`);
    expect(redactErrorBody(body, [secret]).toString()).toBe('{"error":"bad key [redacted] or [redacted]"}');
    expect(redactErrorBody(Buffer.from('key k1 is bad'), ['k1', '']).toString()).toBe(
      'key [redacted] is bad',
    );
  });

  it('keeps its bytes if it does not contain the credential, even invalid bytes', () => {
    const body = Buffer.from([0xff, 0x41, 0xfe]);
    expect(redactErrorBody(body, [secret])).toBe(body);
    const long = Buffer.alloc(2 * 1024 * 1024, 0xff);
    expect(redactErrorBody(long, [secret])).toBe(long);
  });

  it('in a stream’s events does not contain the credential', () => {
    const text = { type: 'text-delta', choice: 0, block: 0, text: secret } as const;
    const events = [text, { type: 'error', message: `bad ${secret}` } as const];
    expect(redactErrorEvents(events, [secret])).toEqual([text, { type: 'error', message: 'bad [redacted]' }]);
    expect(redactErrorEvents([text], [secret])).toEqual([text]);
  });

  it('in the provider’s own frames does not contain the credential, and the frames stay valid', () => {
    const sse = Buffer.from(`data: {"error":{"message":"bad ${secret}"}}\n\n`);
    expect(redactErrorFrames(sse, 'sse', [secret]).toString()).toBe(
      'data: {"error":{"message":"bad [redacted]"}}\n\n',
    );
    const frame = (payload: string) =>
      Buffer.from(encodeEventStream({ headers: new Map(), payload: Buffer.from(payload) }));
    const frames = Buffer.concat([frame('{"a":1}'), frame(`{"message":"bad ${secret}"}`)]);
    const read = [...new EventStreamDecoder().push(redactErrorFrames(frames, 'event-stream', [secret]))];
    expect(read.map(({ payload }) => Buffer.from(payload).toString())).toEqual([
      '{"a":1}',
      '{"message":"bad [redacted]"}',
    ]);
  });
});
