import fc from 'fast-check';
import {
  encodeEventStream,
  encodeSse,
  EventStreamDecoder,
  EventStreamError,
  SseDecoder,
  type EventStreamMessage,
  type SseFrame,
} from '@gateway/wire-formats';
import { anyBytes, cutAnywhere, text } from './arbitraries.ts';
import { fuzz } from './fuzz.ts';

function decodeSse(chunks: readonly Buffer[]): SseFrame[] {
  const decoder = new SseDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.flush()];
}

function decodeMessages(chunks: readonly Buffer[]): EventStreamMessage[] {
  const decoder = new EventStreamDecoder();
  return chunks.flatMap((chunk) => [...decoder.push(chunk)]);
}

describe('server-sent events', () => {
  const sseText = fc.array(
    fc.oneof(text, fc.constantFrom('data:', 'event:', 'id:', ':', '\n', '\r\n', '\r')),
  );
  const stream = fc.oneof(
    anyBytes,
    sseText.map((parts) => Buffer.from(parts.join(''))),
  );

  fuzz('server-sent events do not depend on the chunks of the stream', cutAnywhere(stream), (chunks) => {
    expect(decodeSse(chunks)).toEqual(decodeSse([Buffer.concat(chunks)]));
  });

  fuzz(
    'any data is encoded as one event, and is decoded unchanged',
    fc.array(text, { maxLength: 5 }),
    (all) => {
      const written = all.map((data) => encodeSse({ data, event: 'e' })).join('');
      const data = all.map((each) => each.toWellFormed().replaceAll(/\r\n|\r/g, '\n'));
      expect(decodeSse([Buffer.from(written)])).toEqual(data.map((each) => ({ event: 'e', data: each })));
    },
  );

  fuzz('an event name or id cannot add an event', fc.record({ event: text, id: text }), ({ event, id }) => {
    try {
      const frames = decodeSse([Buffer.from(encodeSse({ event, id, data: 'x' }))]);
      expect(frames).toHaveLength(1);
      expect(frames[0]?.data).toBe('x');
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
  });
});

describe('binary event streams', () => {
  const message = fc
    .record({
      headers: fc.dictionary(fc.stringMatching(/^[:a-z-]{1,12}$/), text, { maxKeys: 4 }),
      payload: anyBytes,
    })
    .map(({ headers, payload }): EventStreamMessage => ({
      headers: new Map(
        Object.entries(headers).map(([name, value]) => [
          name,
          { type: 'string', value: value.toWellFormed() },
        ]),
      ),
      payload,
    }));
  const messages = fc.array(message, { minLength: 1, maxLength: 4 });
  const plain = (all: readonly EventStreamMessage[]): unknown[] =>
    all.map(({ headers, payload }) => [[...headers], Buffer.from(payload).toString('hex')]);

  fuzz(
    'binary messages are decoded unchanged from any chunks',
    messages.chain((all) =>
      fc.tuple(
        fc.constant(all),
        cutAnywhere(fc.constant(Buffer.concat(all.map((each) => Buffer.from(encodeEventStream(each)))))),
      ),
    ),
    ([all, chunks]) => {
      expect(plain(decodeMessages(chunks))).toEqual(plain(all));
    },
  );

  fuzz('invalid bytes cause only an EventStreamError', cutAnywhere(anyBytes), (chunks) => {
    try {
      decodeMessages(chunks);
    } catch (error) {
      expect(error).toBeInstanceOf(EventStreamError);
    }
  });

  fuzz(
    'a changed byte is detected, and only earlier messages are decoded',
    fc.record({ all: messages, at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) }),
    ({ all, at, bit }) => {
      const bytes = Buffer.concat(all.map((each) => Buffer.from(encodeEventStream(each))));
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
      const decoder = new EventStreamDecoder();
      const read: EventStreamMessage[] = [];
      expect(() => {
        for (const each of decoder.push(bytes)) read.push(each);
        if (decoder.pendingBytes > 0) throw new EventStreamError('cut off');
      }).toThrow(EventStreamError);
      expect(plain(read)).toEqual(plain(all.slice(0, read.length)));
      expect(read.length).toBeLessThan(all.length);
    },
  );
});
