import { emptyQueue, renderBlockEvent, renderQueued, type BlockEvent } from './render-stream-block.ts';

const start = (block: number): BlockEvent => ({
  ...{ type: 'tool-call-start', choice: 0, block },
  ...{ id: `c${block}`, name: 'f', kind: 'function' },
});
const piece = (block: number, argumentsText: string): BlockEvent => ({
  ...{ type: 'tool-call-delta', choice: 0, block, argumentsText },
});
const end = (block: number): BlockEvent => ({ type: 'tool-call-end', choice: 0, block });

/** Lists the starts, deltas and stops of blocks in frame order. */
function render(events: readonly BlockEvent[]): string[] {
  let queue = emptyQueue;
  const sent: string[] = [];
  const note = (frames: ReturnType<typeof renderQueued>[1]): void => {
    for (const frame of frames) sent.push(JSON.stringify(frame));
  };
  for (const event of events) {
    const [next, frames] = renderBlockEvent(queue, event);
    queue = next;
    note(frames);
  }
  note(renderQueued(queue)[1]);
  return sent;
}

describe('overlapping blocks', () => {
  it('overlapping blocks are sent one after another, without losing a delta', () => {
    const apart = [0, 1, 2].map((block) => [
      start(block),
      piece(block, '{"a":'),
      piece(block, '1}'),
      end(block),
    ]);
    const mixed = [0, 1, 2, 3].flatMap((step) => apart.map((events) => events[step]!));
    expect(render(mixed)).toEqual(render(apart.flat()));
    expect(render(mixed.filter(({ type }) => type !== 'tool-call-end'))).toEqual(render(apart.flat()));
  });

  it('overlapping blocks are rendered in linear time for any number of blocks', () => {
    const blocks = Array.from({ length: 4_000 }, (_, block) => block);
    const pieces = Array.from({ length: 50 }, () => blocks.map((block) => piece(block, '1'))).flat();
    const long = Array.from({ length: 200_000 }, () => piece(1, '1'));
    expect(render([...blocks.map(start), ...pieces, ...long])).toHaveLength(408_000);
  }, 20_000);

  it('overlapping blocks cause an error when the buffered events exceed the limit', () => {
    const pieces = Array.from({ length: 33 }, () => piece(1, 'x'.repeat(1024 * 1024)));
    expect(() => render([start(0), start(1), ...pieces])).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
  });
});
