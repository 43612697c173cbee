import { setTimeout as waitMs } from 'node:timers/promises';

/**
 * Calls until it is rejected. Returns the refusal and the start of the last served call, in milliseconds. The
 * duration of a call on a busy machine does not count.
 */
export async function untilRefused(call: () => Promise<{ status: number; text: string }>, withinMs: number) {
  const start = performance.now();
  for (let tookMs = 0; ;) {
    const begunMs = performance.now() - start;
    const { status, text } = await call();
    if (status !== 200) return { status, text, tookMs };
    tookMs = begunMs;
    if (tookMs > withinMs)
      throw new Error(`served ${tookMs.toFixed()} ms after, not refused within ${withinMs} ms`);
    await waitMs(5);
  }
}
