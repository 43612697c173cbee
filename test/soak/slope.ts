/** A slope and its noise, estimated from equally spaced values. */
export interface Slope {
  /** The slope per step, as the median over all pairs of values. */
  readonly perStep: number;
  /** The bounds of the slope's 99% confidence interval, per step. */
  readonly low: number;
  readonly high: number;
}

/** The standard normal quantile for a two-sided confidence of 99%. */
const z99 = 2.576;
/** The interval needs at least this many values. */
export const valuesMin = 8;

/**
 * Estimates a slope and its confidence interval from the slopes of all pairs of values (Theil 1950, Sen 1968).
 * Single outliers, such as one garbage collection, do not change the result. The variance of Kendall's S without ties
 * is n(n - 1)(2n + 5) / 18. A larger variance is used for correlated neighbours: the values of a sawtooth count as
 * fewer independent values (`n (1 - r) / (1 + r)` for a first-order autocorrelation r).
 * @throws RangeError for fewer than eight values
 */
export function estimateSlope(values: readonly number[]): Slope {
  const n = values.length;
  if (n < valuesMin) throw new RangeError(`a slope needs ${valuesMin} values, not ${n}`);
  const slopes = values
    .flatMap((from, at) => values.slice(at + 1).map((to, step) => (to - from) / (step + 1)))
    .sort((one, other) => one - other);
  const perStep = medianOf(slopes);
  const r = Math.max(0, autocorrelation(values.map((value, at) => value - perStep * at)));
  const inflation = Math.min((1 + r) / (1 - r), n / 2);
  const deviation = z99 * Math.sqrt((inflation * (n * (n - 1) * (2 * n + 5))) / 18);
  const at = (rank: number): number => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))]!;
  const middle = slopes.length / 2;
  return { perStep, low: at(middle - deviation / 2 - 1), high: at(middle + deviation / 2) };
}

/** Returns the median of a list in any order. The median of an empty list is NaN. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The correlation of neighbouring values, between -1 and 1, or 0 for constant values. */
function autocorrelation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const off = values.map((value) => value - mean);
  const variance = off.reduce((sum, value) => sum + value * value, 0);
  if (variance === 0) return 0;
  return off.slice(1).reduce((sum, value, at) => sum + value * off[at]!, 0) / variance;
}
