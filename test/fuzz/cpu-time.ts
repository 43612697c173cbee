/** The size of the hostile input, in UTF-16 code units: the size limit of a stored content. */
export const hostileChars = 2 * 1024 * 1024;
/** The maximum of processor time on such an input. */
export const cpuMsMax = 200;

/** Processor time of a call in this thread, in milliseconds. */
export function cpuMsOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * The least processor time of several calls. Compilation and garbage collection only make calls longer. Stops at
 * the first call within the limit.
 */
export function leastCpuMs(run: () => unknown, wantedMs: number, tries = 5): number {
  let least = Infinity;
  for (let at = 0; at < tries && least > wantedMs; at += 1) least = Math.min(least, cpuMsOf(run));
  return least;
}
