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
  // The clock does not run without subscribers, so the stored time can be hours old.
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

/** Renders a time in the reader's time zone, in the format of an `<input type="datetime-local">`. */
export function toLocalInput(instant: string | undefined): string {
  if (instant === undefined || instant === '') return '';
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Converts the content of an `<input type="datetime-local">` to an RFC 3339 time. Returns an empty string if
 * the given time is not valid.
 */
export function fromLocalInput(value: string): string {
  const timeMs = Date.parse(value);
  return Number.isNaN(timeMs) ? '' : new Date(timeMs).toISOString();
}
