/**
 * The size of the hostile input, in UTF-16 code units. The size equals the maximum size of stored content.
 */
export const hostileChars = 2 * 1024 * 1024;
/** The maximum CPU time in milliseconds for a hostile input. */
export const cpuMsMax = 200;

/** Returns the CPU time in milliseconds of a function call in this thread. */
export function cpuMsOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The number of measurements in a row. The first function calls are slower because the code is not compiled yet. */
const triesAtOnce = 5;
const pauseMs = 250;

/**
 * Returns the shortest CPU time of several function calls. Compilation, garbage collection and other work on
 * the core can only slow a call down. After the first `triesAtOnce` calls, a pause before each call lets other
 * work end. The measurement stops at the first call within the limit.
 */
export function leastCpuMs(run: () => unknown, wantedMs: number, tries = 25): number {
  let least = Infinity;
  for (let at = 0; at < tries && least > wantedMs; at += 1) {
    if (at >= triesAtOnce) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    least = Math.min(least, cpuMsOf(run));
  }
  return least;
}
