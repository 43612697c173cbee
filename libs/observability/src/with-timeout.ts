/**
 * Waits for `work` for at most `limitMs`, then returns `fallback`. The work continues after the time limit,
 * and its result or rejection is ignored. A rejection of the work within the time limit is passed on.
 */
export async function withTimeout<Result, const Fallback>(
  work: Promise<Result>,
  limitMs: number,
  fallback: Fallback,
): Promise<Result | Fallback> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Fallback>((resolve) => {
    timer = setTimeout(() => resolve(fallback), limitMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
