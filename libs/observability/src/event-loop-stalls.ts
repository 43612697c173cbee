import type { Metrics } from './metrics.ts';

/** Interval between two measurements, in milliseconds. A shorter interval is more accurate. */
const tickMs = 25;
/**
 * Minimum delay that counts as a stall, in milliseconds. Shorter delays are normal, for example during
 * garbage collection.
 */
const stallMsMin = 50;
const bucketsSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Counts the stalls of the event loop, which are delays of more than 50 ms (`event_loop_stall_seconds`). A
 * percentile of the delay hides a single long stall, so each stall is counted. A label specifies the cause of
 * the stall. `work` means that the stall was caused by work in this process's main thread. `host` means that
 * the host did not schedule the thread. On a busy machine, a stall takes longer than the work that causes it.
 * The metric `event_loop_stall_cpu_seconds` records the processor time of each stall.
 * @returns a function that stops the measurement
 */
export function watchEventLoop(metrics: Metrics): () => void {
  // Several health servers may expose the metrics of the same process.
  if (metrics.registry.getSingleMetric('event_loop_stall_seconds') !== undefined) return () => undefined;
  const stalls = metrics.histogram({
    name: 'event_loop_stall_seconds',
    help: 'Times for which the event loop did not run, above 50 ms, by cause: work of the process, or the host.',
    labels: ['cause'],
    buckets: bucketsSeconds,
  });
  const work = metrics.histogram({
    name: 'event_loop_stall_cpu_seconds',
    help: 'Processor time that the main thread used in each stall of the event loop.',
    buckets: bucketsSeconds,
  });
  let lastMs = performance.now();
  let lastCpuMs = readThreadCpuMs();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const cpuMs = readThreadCpuMs();
    const stallMs = nowMs - lastMs - tickMs;
    if (stallMs > stallMsMin) {
      const workMs = Math.min(cpuMs - lastCpuMs, stallMs);
      stalls.observe({ cause: causeOfStall(stallMs, workMs) }, stallMs / 1_000);
      work.observe({}, workMs / 1_000);
    }
    lastMs = nowMs;
    lastCpuMs = cpuMs;
  }, tickMs).unref();
  return () => {
    clearInterval(timer);
  };
}

/** Returns `work` if the main thread worked for more than half of the stall, and otherwise `host`. */
export function causeOfStall(stallMs: number, workMs: number): 'work' | 'host' {
  return workMs > stallMs / 2 ? 'work' : 'host';
}

function readThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
