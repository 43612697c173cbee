import { setTimeout as waitMs } from 'node:timers/promises';
import { watchEventLoop } from './event-loop-stalls.ts';
import { createMetrics } from './metrics.ts';

const sleeping = new Int32Array(new SharedArrayBuffer(4));

async function measure(stall: () => void): Promise<string> {
  const metrics = createMetrics('test');
  const stop = watchEventLoop(metrics);
  await waitMs(60);
  stall();
  await waitMs(60);
  stop();
  return (await metrics.render()).body;
}

const countOf = (body: string, cause: string): number =>
  Number(
    new RegExp(`event_loop_stall_seconds_count{[^}]*cause="${cause}"[^}]*} (\\d+)`).exec(body)?.[1] ?? 0,
  );

/** Uses this much processor time in the main thread. */
function work(ms: number): void {
  const from = process.threadCpuUsage();
  while (process.threadCpuUsage(from).user < ms * 1_000);
}

it('a stall by work of the process is counted', async () => {
  // On a busy machine, the thread may get less than half of the time.
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const body = await measure(() => {
      work(150);
    });
    if (countOf(body, 'work') >= 1) return;
    expect(countOf(body, 'host')).toBeGreaterThanOrEqual(1);
  }
  throw new Error('no stall was assigned to the process');
});

it('a stall by the host is told apart', async () => {
  const body = await measure(() => void Atomics.wait(sleeping, 0, 0, 150));
  expect(countOf(body, 'host')).toBeGreaterThanOrEqual(1);
});

it('short work is not counted', async () => {
  expect(countOf(await measure(() => undefined), 'work')).toBe(0);
});
