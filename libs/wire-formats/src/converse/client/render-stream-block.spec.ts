import { emptyQueue, renderBlockEvent, renderQueued, type BlockEvent } from './render-stream-block.ts';

const start = (block: number): BlockEvent => ({
  ...{ type: 'tool-call-start', choice: 0, block },
  ...{ id: `c${block}`, name: 'f', kind: 'function' },
});
const piece = (block: number, argumentsText: string): BlockEvent => ({
  ...{ type: 'tool-call-delta', choice: 0, block, argumentsText },
});
const end = (block: number): BlockEvent => ({ type: 'tool-call-end', choice: 0, block });

/** What the frames say: which block starts, goes on and stops, in their order. */
function tell(events: readonly BlockEvent[]): string[] {
  let queue = emptyQueue;
  const told: string[] = [];
  const note = (frames: ReturnType<typeof renderQueued>[1]): void => {
    for (const frame of frames) told.push(JSON.stringify(frame));
  };
  for (const event of events) {
    const [next, frames] = renderBlockEvent(queue, event);
    queue = next;
    note(frames);
  }
  note(renderQueued(queue)[1]);
  return told;
}

describe('blocks that run side by side', () => {
  it('come one after the other, and no piece is lost', () => {
    const apart = [0, 1, 2].map((block) => [
      start(block),
      piece(block, '{"a":'),
      piece(block, '1}'),
      end(block),
    ]);
    const mixed = [0, 1, 2, 3].flatMap((step) => apart.map((events) => events[step]!));
    expect(tell(mixed)).toEqual(tell(apart.flat()));
    expect(tell(mixed.filter(({ type }) => type !== 'tool-call-end'))).toEqual(tell(apart.flat()));
  });

  it('take time in proportion to what they say, be they ever so many', () => {
    const blocks = Array.from({ length: 4_000 }, (_, block) => block);
    const pieces = Array.from({ length: 50 }, () => blocks.map((block) => piece(block, '1'))).flat();
    const long = Array.from({ length: 200_000 }, () => piece(1, '1'));
    expect(tell([...blocks.map(start), ...pieces, ...long])).toHaveLength(408_000);
  }, 20_000);

  it('wait within a bound', () => {
    const pieces = Array.from({ length: 33 }, () => piece(1, 'x'.repeat(1024 * 1024)));
    expect(() => tell([start(0), start(1), ...pieces])).toThrow('could not be read');
  });
});
