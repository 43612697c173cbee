/** The size of the hostile input, in UTF-16 code units. It equals the size limit of a stored content. */
export const hostileChars = 2 * 1024 * 1024;
/** The maximum processor time on such an input, in milliseconds. */
export const cpuMsMax = 200;

/** Returns the processor time of a call in this thread, in milliseconds. */
export function cpuMsOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * The number of measurements without a pause between them. The first calls are slower because of compilation.
 */
const triesAtOnce = 5;
const pauseMs = 250;

/**
 * Returns the least processor time of several calls. Compilation, garbage collection and other work on the
 * same processor core only make calls longer, so later tries wait for a quieter moment. Stops at the first
 * call within the limit.
 */
export function leastCpuMs(run: () => unknown, wantedMs: number, tries = 25): number {
  let least = Infinity;
  for (let at = 0; at < tries && least > wantedMs; at += 1) {
    if (at >= triesAtOnce) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    least = Math.min(least, cpuMsOf(run));
  }
  return least;
}
