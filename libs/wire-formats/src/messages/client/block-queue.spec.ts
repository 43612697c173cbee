import type { StreamEvent } from '@gateway/interchange';
import { BlockQueue } from './block-queue.ts';

const start = (block: number): StreamEvent => ({
  type: 'tool-call-start',
  choice: 0,
  block,
  id: `c${block}`,
  name: 'f',
  kind: 'function',
});
const piece = (block: number, argumentsText: string): StreamEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  block,
  argumentsText,
});
const end = (block: number): StreamEvent => ({ type: 'tool-call-end', choice: 0, block });
const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'tool-calls', rawReason: 'x' };

function order(events: readonly StreamEvent[]): StreamEvent[] {
  const queue = new BlockQueue();
  return events.flatMap((event) => queue.push(event));
}

describe('BlockQueue', () => {
  test('reorders interleaved calls into sequential calls, and loses no delta', () => {
    const first = [start(0), piece(0, '{"a":'), piece(0, '1}'), end(0)];
    const second = [start(1), piece(1, '{"b":'), piece(1, '2}'), end(1)];
    const [s0, a0, b0, e0] = first;
    const [s1, a1, b1, e1] = second;
    expect(order([s0!, s1!, a0!, a1!, b0!, b1!, e0!, e1!, finish])).toEqual([...first, ...second, finish]);
  });

  test('does not delay the next call after a call with complete arguments, even if the end event arrives late', () => {
    const queue = new BlockQueue();
    for (const event of [start(0), piece(0, '{}')]) queue.push(event);
    expect(queue.push(start(1))).toEqual([start(1)]);
    expect(queue.push(piece(1, '{'))).toEqual([piece(1, '{')]);
    expect(queue.push(end(0))).toEqual([]);
  });

  test('releases buffered events with the finish reason if the end of a block never arrives', () => {
    expect(order([start(0), start(1), piece(1, '{}'), finish])).toEqual([
      start(0),
      start(1),
      piece(1, '{}'),
      finish,
    ]);
  });

  test('limits the buffer, and does not count released events toward the limit', () => {
    const long = (block: number) => Array.from({ length: 20 }, () => piece(block, 'x'.repeat(1024 * 1024)));
    expect(() => order([start(0), start(1), ...long(1), end(0), end(1)])).not.toThrow();
    const twice = [start(0), start(1), ...long(1), end(1), end(0), start(2), start(3), ...long(3), end(2)];
    expect(order(twice)).toHaveLength(47);
    expect(() => order([start(0), start(1), ...long(1), ...long(1)])).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
  });
});
