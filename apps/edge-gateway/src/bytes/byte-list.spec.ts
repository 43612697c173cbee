import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { ByteList } from './byte-list.ts';

const chunk = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 1_000, max: 1_100 }),
  fc.constant(9_000),
);
const step = fc.oneof(chunk, fc.constant('shift'), fc.constant('pieces'));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * The memory used by the buffers that the list keeps, in bytes. A buffer that several chunks share is counted once.
 */
function memoryOf(list: ByteList): number {
  const blocks = new Set(list.pieces().map(({ buffer }) => buffer));
  return [...blocks].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

describe('ByteList', () => {
  it('returns the bytes in order, regardless of the sizes of the chunks', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const list = new ByteList();
        let expected = Buffer.alloc(0);
        let next = 0;
        for (const each of steps) {
          if (each === 'shift') {
            const piece = list.shift();
            expect(piece ?? Buffer.alloc(0)).toEqual(expected.subarray(0, piece?.length ?? 0));
            expect(piece === undefined).toBe(expected.length === 0);
            expected = expected.subarray(piece?.length ?? 0);
          } else if (each === 'pieces') {
            expect(Buffer.concat(list.pieces())).toEqual(expected);
          } else {
            const bytes = Buffer.alloc(each, (next += 1));
            list.push(bytes);
            expected = Buffer.concat([expected, bytes]);
          }
          expect(list.size).toBe(expected.length);
        }
        expect(list.concat()).toEqual(expected);
      }),
    );
  });

  it('keeps few objects and little memory for single bytes, even if long chunks arrive between them', () => {
    const list = new ByteList();
    // Each chunk is a view of a large block, like a chunk from a socket.
    const read = Buffer.alloc(64 * 1024, 'a');
    for (let at = 0; at < 1_000_000; at += 1)
      list.push(read.subarray(at % read.length, (at % read.length) + 1));
    expect(list.size).toBe(1_000_000);
    expect(list.pieces().length).toBeLessThan(50);
    expect(memoryOf(list)).toBeLessThan(1_100_000);
    const mixed = new ByteList();
    for (let at = 0; at < 1_000; at += 1) {
      mixed.push(Buffer.from('a'));
      mixed.push(Buffer.allocUnsafeSlow(1_025));
    }
    expect(memoryOf(mixed)).toBeLessThan(3 * mixed.size);
  });

  it('frees the memory of removed pieces, even if the list never becomes empty', async () => {
    const list = new ByteList();
    const removed: WeakRef<ArrayBufferLike>[] = [];
    for (let at = 0; at < 100; at += 1) {
      list.push(Buffer.allocUnsafeSlow(5_000));
      if (at >= 10) removed.push(new WeakRef(list.shift()!.buffer));
    }
    expect(list.size).toBe(50_000);
    // A weak reference keeps its target until the end of the current event-loop turn.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(removed.filter((each) => each.deref() !== undefined).length).toBeLessThan(3);
    expect(list.concat()).toHaveLength(50_000);
  });

  it('keeps a long chunk without a copy', () => {
    const list = new ByteList();
    const long = Buffer.alloc(5_000);
    list.push(long);
    expect(list.concat()).toBe(long);
  });
});
