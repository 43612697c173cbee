/**
 * A signal that aborts at the deadline, or when the client disconnects. Callers must call `clear` when the
 * work is done.
 */
export interface Deadline {
  readonly signal: AbortSignal;
  clear(): void;
}

/**
 * Starts a timer for a deadline. A timer is cheaper than `AbortSignal.timeout`, which stays active after the
 * response and creates an unused error.
 */
export function startDeadline(ms: number, left: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  left.addEventListener('abort', abort, { once: true });
  if (left.aborted) abort();
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      left.removeEventListener('abort', abort);
    },
  };
}
