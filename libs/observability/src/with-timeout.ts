/**
 * Returns the result of `work`, or `fallback` if the work takes longer than `limitMs`. After this time, the
 * work continues, but its outcome is ignored. If `work` rejects earlier, the function also rejects.
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
