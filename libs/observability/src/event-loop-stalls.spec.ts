import { setTimeout as waitMs } from 'node:timers/promises';
import { causeOfStall, watchEventLoop } from './event-loop-stalls.ts';
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

/** Uses the given amount of processor time, in milliseconds, in the main thread. */
function work(ms: number): void {
  const from = process.threadCpuUsage();
  while (process.threadCpuUsage(from).user < ms * 1_000);
}

it('a stall caused by work of the process is counted', async () => {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const startedAt = performance.now();
    let tookMs = Infinity;
    const body = await measure(() => {
      work(150);
      tookMs = performance.now() - startedAt;
    });
    expect(countOf(body, 'work') + countOf(body, 'host')).toBeGreaterThanOrEqual(1);
    if (countOf(body, 'work') >= 1) return;
    // On a busy machine, the test thread may run for less than half of the elapsed time.
    expect(tookMs).toBeGreaterThan(250);
  }
});

it.each([
  [100, 90, 'work'],
  [100, 51, 'work'],
  [100, 50, 'host'],
  [300, 120, 'host'],
])('a stall of %i ms with %i ms of work is assigned to the %s', (stallMs, workMs, cause) => {
  expect(causeOfStall(stallMs, workMs)).toBe(cause);
});

it('the processor time of a stall is counted, however long the stall takes', async () => {
  const body = await measure(() => {
    work(150);
  });
  const read = (series: string): number =>
    Number(new RegExp(`^event_loop_stall_cpu_seconds_${series} (\\S+)$`, 'm').exec(body)?.[1]);
  expect(read('sum\\{[^}]*\\}')).toBeGreaterThan(0.12);
  expect(read('count\\{[^}]*\\}') - read('bucket\\{[^}]*le="0.1"[^}]*\\}')).toBe(1);
});

it('a stall caused by the host has no processor time', async () => {
  const body = await measure(() => void Atomics.wait(sleeping, 0, 0, 150));
  expect(body).toMatch(/^event_loop_stall_cpu_seconds_bucket\{[^}]*le="0.1"[^}]*\} [1-9]/m);
});

it('a stall caused by the host has its own label', async () => {
  const body = await measure(() => void Atomics.wait(sleeping, 0, 0, 150));
  expect(countOf(body, 'host')).toBeGreaterThanOrEqual(1);
});

it('short work is not counted', async () => {
  expect(countOf(await measure(() => undefined), 'work')).toBe(0);
});
