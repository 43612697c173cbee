import { setTimeout as waitMs } from 'node:timers/promises';

/**
 * Asks until it is refused: with what, and how late the last call was that was still served, from its beginning. What a call
 * takes besides, on a machine that does much else, is not what a change takes to be obeyed.
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
