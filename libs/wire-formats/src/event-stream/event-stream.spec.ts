import fc from 'fast-check';
import { encodeEventStream } from './encode-event-stream.ts';
import { EventStreamDecoder } from './event-stream-decoder.ts';
import {
  EventStreamError,
  textHeader,
  type EventStreamHeader,
  type EventStreamMessage,
} from './event-stream-message.ts';

const smallText = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const integerOf = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });
const bigInteger = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const header: fc.Arbitrary<EventStreamHeader> = fc.oneof(
  fc.record({ type: fc.constant('boolean'), value: fc.boolean() }),
  fc.record({ type: fc.constant('byte'), value: integerOf(8) }),
  fc.record({ type: fc.constant('short'), value: integerOf(16) }),
  fc.record({ type: fc.constant('integer'), value: integerOf(32) }),
  fc.record({ type: fc.constantFrom('long', 'timestamp'), value: bigInteger }),
  fc.record({ type: fc.constant('binary'), value: fc.uint8Array({ maxLength: 50 }) }),
  fc.record({
    type: fc.constant('string'),
    value: fc.string({ unit: 'binary' }).filter((t) => t.isWellFormed()),
  }),
  fc.record({ type: fc.constant('uuid'), value: fc.uuid() }),
);
const message: fc.Arbitrary<EventStreamMessage> = fc.record({
  headers: fc.array(fc.tuple(smallText, header), { maxLength: 6 }).map((entries) => new Map(entries)),
  payload: fc.uint8Array({ maxLength: 3000 }),
});

const plain = ({ headers, payload }: EventStreamMessage) => ({
  headers: [...headers].map(([name, { type, value }]) => [
    name,
    type,
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  ]),
  payload: Buffer.from(payload).toString('hex'),
});

function decodeChunks(chunks: readonly Uint8Array[]): EventStreamMessage[] {
  const decoder = new EventStreamDecoder();
  const messages = chunks.flatMap((chunk) => [...decoder.push(chunk)]);
  expect(decoder.pendingBytes).toBe(0);
  return messages;
}

/** A frame with the given lengths and a correct prelude checksum. */
function withLengths(total: number, headers: number): Buffer {
  const frame = encodeEventStream({ headers: new Map(), payload: Buffer.alloc(100) });
  frame.writeUInt32BE(total, 0);
  frame.writeUInt32BE(headers, 4);
  frame.writeUInt32BE(crcOf(frame.subarray(0, 8)), 8);
  return frame;
}

/** CRC-32 (IEEE 802.3), computed bit by bit, independently of the code under test. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

describe('an event stream', () => {
  it('decodes to the encoded messages, with every header type and any chunk boundaries', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.integer({ min: 1, max: 700 }), (messages, size) => {
        const bytes = Buffer.concat(messages.map(encodeEventStream));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(decodeChunks(chunks).map(plain)).toEqual(messages.map(plain));
        expect(decodeChunks([bytes]).map(plain)).toEqual(messages.map(plain));
      }),
    );
  });

  it('keeps the payload of a decoded message unchanged when later bytes arrive', () => {
    const frames = ['one', 'two'].map((text) =>
      encodeEventStream({ headers: new Map(), payload: Buffer.from(text) }),
    );
    const bytes = Buffer.concat(frames);
    const messages = decodeChunks([...bytes].map((byte) => Buffer.of(byte)));
    expect(messages.map(({ payload }) => Buffer.from(payload).toString())).toEqual(['one', 'two']);
  });

  it('is rejected without yielding a message if any single bit is wrong', () => {
    const headers = new Map<string, EventStreamHeader>([[':event-type', { type: 'string', value: 'x' }]]);
    const bytes = encodeEventStream({ headers, payload: Buffer.from('{"a":1}') });
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const wrong = Buffer.from(bytes);
      wrong[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => [...new EventStreamDecoder().push(wrong)]).toThrow(EventStreamError);
    }
  });

  it('yields the messages before a corrupt message, and no message after it', () => {
    const good = encodeEventStream({ headers: new Map(), payload: Buffer.from('good') });
    const decoder = new EventStreamDecoder();
    const yielded: EventStreamMessage[] = [];
    expect(() => {
      for (const one of decoder.push(Buffer.concat([good, Buffer.alloc(16)]))) yielded.push(one);
    }).toThrow(EventStreamError);
    expect(yielded).toHaveLength(1);
    expect(() => [...decoder.push(good)]).toThrow(EventStreamError);
  });

  it.each([
    [15, 0],
    [0, 0],
    [0xffffffff, 0],
    [17 * 1024 * 1024, 0],
    [116, 101],
    [1_000_000, 129 * 1024],
  ])('is rejected for a length of %i with headers of %i, before bytes are buffered', (total, headers) => {
    expect(() => [...new EventStreamDecoder().push(withLengths(total, headers).subarray(0, 12))]).toThrow(
      /outside the limits/,
    );
  });

  it("is rejected above the caller's limit", () => {
    const bytes = encodeEventStream({ headers: new Map(), payload: Buffer.alloc(100) });
    expect(() => [...new EventStreamDecoder({ messageBytesMax: 115 }).push(bytes)]).toThrow(/116 bytes/);
    expect([...new EventStreamDecoder({ messageBytesMax: 116 }).push(bytes)]).toHaveLength(1);
  });

  it('takes time proportional to its length when it arrives byte by byte', () => {
    const cpuMicrosOf = (payloadBytes: number): number => {
      const bytes = encodeEventStream({ headers: new Map(), payload: Buffer.alloc(payloadBytes, 'a') });
      const decoder = new EventStreamDecoder();
      const before = process.cpuUsage();
      let count = 0;
      for (let at = 0; at < bytes.length; at += 1)
        count += [...decoder.push(bytes.subarray(at, at + 1))].length;
      expect(count).toBe(1);
      return process.cpuUsage(before).user;
    };
    cpuMicrosOf(400_000);
    // Four times as many bytes should take four times as long.
    // A decoder that rescans all earlier bytes for each new byte would take sixteen times as long.
    expect(cpuMicrosOf(1_600_000)).toBeLessThan(10 * cpuMicrosOf(400_000));
  }, 60_000);

  it('decodes, buffers or rejects arbitrary bytes, and never crashes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (chunks) => {
        const decoder = new EventStreamDecoder();
        try {
          chunks.forEach((chunk) => [...decoder.push(chunk)]);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(EventStreamError);
        }
      }),
    );
  });

  it.each([
    ['a name too long', new Map([['x'.repeat(256), { type: 'boolean', value: true }]])],
    ['no name', new Map([['', { type: 'boolean', value: true }]])],
    ['a text too long', new Map([['x', { type: 'string', value: 'é'.repeat(16_384) }]])],
    ['a number too big', new Map([['x', { type: 'byte', value: 128 }]])],
    ['a uuid that is none', new Map([['x', { type: 'uuid', value: 'zz' }]])],
  ] as [string, Map<string, EventStreamHeader>][])('is not encoded with %s', (_, headers) => {
    // Node's own errors come from a different realm than the test's classes, so `instanceof` would fail.
    const rangeError: unknown = expect.objectContaining({ name: 'RangeError' });
    expect(() => encodeEventStream({ headers, payload: Buffer.alloc(0) })).toThrow(rangeError as Error);
  });

  it('textHeader returns the value of a string header, and undefined for other types', () => {
    const headers = new Map<string, EventStreamHeader>([
      ['a', { type: 'string', value: 'text' }],
      ['b', { type: 'byte', value: 1 }],
    ]);
    const read = { headers, payload: Buffer.alloc(0) };
    expect(['a', 'b', 'c'].map((name) => textHeader(read, name))).toEqual(['text', undefined, undefined]);
  });
});
