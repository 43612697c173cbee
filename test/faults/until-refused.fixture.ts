import { setTimeout as waitMs } from 'node:timers/promises';

/**
 * Repeats a request until the gateway rejects it. Returns the rejection, and the start time in milliseconds of
 * the last successful request. This start time does not depend on how long a busy machine takes for the
 * request.
 */
export async function untilRefused(call: () => Promise<{ status: number; text: string }>, withinMs: number) {
  const start = performance.now();
  for (let tookMs = 0; ;) {
    const begunMs = performance.now() - start;
    const { status, text } = await call();
    if (status !== 200) return { status, text, tookMs };
    tookMs = begunMs;
    if (tookMs > withinMs)
      throw new Error(
        `the gateway still served a request after ${tookMs.toFixed()} ms, but should reject after ${withinMs} ms`,
      );
    await waitMs(5);
  }
}
