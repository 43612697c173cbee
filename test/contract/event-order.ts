import type { StreamEvent } from '@gateway/interchange';

/**
 * Checks the event order that every renderer requires. The first event is the only message start event.
 * Deltas and citations of a content block come between the block's start and end. Every content block that
 * starts also ends. Each choice finishes once, after all its content blocks. The end event comes last.
 */
export function expectOrder(events: readonly StreamEvent[]): void {
  const open = new Map<string, string>();
  const seen = new Set<string>();
  const finished = new Set<number>();
  events.forEach((event, at) => {
    if (event.type === 'message-start') expect(at).toBe(0);
    if (event.type === 'message-end') expect(at).toBe(events.length - 1);
    if (event.type === 'finish') {
      expect(finished.has(event.choice)).toBe(false);
      finished.add(event.choice);
      expect([...open.keys()].filter((key) => key.startsWith(`${event.choice}/`))).toEqual([]);
    }
    if (!('block' in event)) return;
    const key = `${event.choice}/${event.block}`;
    const kind = event.type.replace(/-(start|delta|end)$/, '');
    if (event.type === 'part' || event.type.endsWith('-start')) {
      expect(seen.has(key)).toBe(false);
      seen.add(key);
      if (event.type !== 'part') open.set(key, kind);
    } else {
      expect([key, open.get(key)]).toEqual([key, kind === 'citation' ? 'text' : kind]);
      if (event.type.endsWith('-end')) open.delete(key);
    }
  });
  expect([...open]).toEqual([]);
}
