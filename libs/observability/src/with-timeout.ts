/**
 * Waits for `work` for at most `limitMs`, then returns `fallback`. After the time limit, the work continues, but
 * its result or rejection is ignored. If the work rejects within the time limit, the rejection is passed on.
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
