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
  // Without subscribers, the clock does not update, so the stored time can be hours old.
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

/** The current time in milliseconds, updated every 30 seconds. All components share one clock. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}
