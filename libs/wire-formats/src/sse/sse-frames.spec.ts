import fc from 'fast-check';
import { encodeSse, SseDecoder, SseFrameTooLongError } from './sse-frames.ts';
import type { SseFrame } from './sse-frames.ts';

function decode(chunks: readonly Uint8Array[]): SseFrame[] {
  const decoder = new SseDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.flush()];
}

const decodeText = (text: string): SseFrame[] => decode([Buffer.from(text)]);

/** Splits the bytes at random positions. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (one, other) => one - other,
  );
  return [0, ...cuts].map((start, index) => Buffer.from(bytes.subarray(start, cuts[index] ?? bytes.length)));
}

const eventStream = fc
  .array(
    fc.constantFrom(
      'data: a',
      'data:b',
      'data',
      'data:  é€😀',
      'event: e',
      'id: 7',
      ': comment',
      'retry: 1',
      'x',
      '',
      '',
      '',
    ),
  )
  .chain((lines) =>
    fc.constantFrom('\n', '\r\n', '\r').map((end) => lines.map((line) => line + end).join('')),
  );

describe('SseDecoder', () => {
  it('returns the same events for any split of the bytes', () => {
    fc.assert(
      fc.property(eventStream, fc.array(fc.nat()), (text, places) => {
        expect(decode(cutAt(Buffer.from(text), places))).toEqual(decodeText(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('returns the same events for every line ending', () => {
    const text = 'event: e\ndata: 1\ndata: 2\n\n: comment\n\ndata: 3\n\n';
    const expected = [{ event: 'e', data: '1\n2' }, { data: '3' }];
    for (const end of ['\n', '\r\n', '\r']) expect(decodeText(text.replaceAll('\n', end))).toEqual(expected);
  });

  it('follows the standard in edge cases', () => {
    expect(decodeText('\ufeffdata: a\n\n')).toEqual([{ data: 'a' }]);
    expect(decodeText('data\n\n')).toEqual([{ data: '' }]);
    expect(decodeText('data:  two spaces\n\n')).toEqual([{ data: ' two spaces' }]);
    expect(decodeText('event: lonely\n\ndata: a\n\n')).toEqual([{ data: 'a' }]);
    expect(decodeText('id: 1\u0000\ndata: a\n\n')).toEqual([{ data: 'a' }]);
  });

  it('returns the last event even if the provider omits the empty line', () => {
    expect(decodeText('data: a\n\ndata: [DONE]')).toEqual([{ data: 'a' }, { data: '[DONE]' }]);
  });

  it('does not keep a reference to the chunk', () => {
    const decoder = new SseDecoder();
    const chunk = Buffer.from('data: abc');
    decoder.push(chunk);
    chunk.fill(0x78);
    expect(decoder.push(Buffer.from('\n\n'))).toEqual([{ data: 'abc' }]);
  });

  it.each([
    ['one endless line', 'data: aaaaaaaaaaaaaaaaaaaaa'],
    ['one long line', `data: ${'a'.repeat(2000)}\n`],
    ['endless data lines', 'data: aaaaaaaaa\n'],
  ])('rejects %s', (_, piece) => {
    const decoder = new SseDecoder({ frameBytesMax: 1000 });
    expect(() => {
      for (let count = 0; count < 1000; count += 1) decoder.push(Buffer.from(piece));
    }).toThrow(SseFrameTooLongError);
  });

  it('takes linear time, even for one-byte chunks', () => {
    const timeOf = (size: number): number => {
      const bytes = Buffer.from(`data: ${'a'.repeat(size)}\n\n`);
      const decoder = new SseDecoder();
      const before = process.cpuUsage();
      for (let at = 0; at < bytes.length; at += 1) decoder.push(bytes.subarray(at, at + 1));
      return process.cpuUsage(before).user / 1_000;
    };
    timeOf(50_000);
    // A quadratic algorithm would take 64 times as long.
    expect(timeOf(800_000)).toBeLessThan(Math.max(8 * 4 * timeOf(100_000), 200));
  });
});

describe('encodeSse', () => {
  it('encodes any data so that the decoded data is the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const data = text.toWellFormed();
        expect(decodeText(encodeSse({ data }))).toEqual([{ data: data.replaceAll(/\r\n|\r/g, '\n') }]);
      }),
      { numRuns: 2000 },
    );
  });

  it('prevents data from injecting a field or an event', () => {
    const forged = encodeSse({ data: 'a\n\nevent: admin\ndata: b\r\rid: 1' });
    expect(decodeText(forged)).toEqual([{ data: 'a\n\nevent: admin\ndata: b\n\nid: 1' }]);
  });

  it.each([
    { event: 'a\nb', data: '' },
    { event: 'a\rb', data: '' },
    { id: '1\n', data: '' },
    { id: '\0', data: '' },
  ])('rejects %j', (frame) => {
    expect(() => encodeSse(frame)).toThrow(RangeError);
  });
});
