import { useSyncExternalStore } from 'react';

const tickMs = 30_000;
let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  // While nobody asks for the time the clock stands, for hours maybe.
  if (listeners.size === 0) nowMs = Date.now();
  listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in milliseconds, in steps of half a minute: one clock for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}
