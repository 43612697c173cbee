/**
 * Waits for `work`, but for at most `limitMs`. Returns `fallback` when the time is over. The work then continues, and its result
 * or rejection is ignored. A rejection before the limit is passed on.
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
