import { setTimeout as waitMs } from 'node:timers/promises';

/** Asks until it is refused; how long that took, and with what. */
export async function untilRefused(call: () => Promise<{ status: number; text: string }>, withinMs: number) {
  const start = performance.now();
  for (;;) {
    const { status, text } = await call();
    const tookMs = performance.now() - start;
    if (status !== 200) return { status, text, tookMs };
    if (tookMs > withinMs) throw new Error(`not refused within ${withinMs} ms`);
    await waitMs(5);
  }
}
