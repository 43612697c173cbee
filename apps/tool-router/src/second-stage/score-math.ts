import { countAtMost, countBelow } from '../tool-index/keyword-scores.ts';

/** Functions that make scores comparable between tool lists. Equal scores stay equal. */

/** Scores, each divided by the best score. If no score is above 0, all scaled scores are 0. */
export function shareOfTop(scores: Float64Array): Float64Array {
  const top = scores.reduce((best, score) => Math.max(best, score), 0);
  return top <= 0 ? new Float64Array(scores.length) : scores.map((score) => Math.max(0, score) / top);
}

const deviationsMax = 6;

/** The distance of each score from the list's mean in standard deviations, limited to 6. */
export function standardize(scores: Float64Array): Float64Array {
  const count = Math.max(1, scores.length);
  // The scores are added in ascending order, so that the order of the tools cannot change the mean.
  const sorted = scores.toSorted();
  const mean = sorted.reduce((sum, score) => sum + score, 0) / count;
  const variance = sorted.reduce((sum, score) => sum + (score - mean) ** 2, 0) / count;
  const deviation = Math.max(Math.sqrt(variance), 1e-6);
  return scores.map((score) => Math.max(-deviationsMax, Math.min(deviationsMax, (score - mean) / deviation)));
}

/**
 * A gain for each tool, based on the rank of the tool. The gain is 1 for the highest score, and falls to 0
 * with the logarithm of the rank. Tools with equal scores share the mean of their ranks.
 */
export function rankGains(scores: Float64Array): Float64Array {
  const count = scores.length;
  const ascending = scores.toSorted();
  const least = ascending[Math.max(0, count - placesMax)] ?? 0;
  const scale = Math.log2(1 + placesMax);
  return scores.map((score) => {
    if (score < least) return 0;
    const from = count - countAtMost(ascending, score);
    const to = count - countBelow(ascending, score);
    return Math.max(0, 1 - Math.log2(1 + (from + to - 1) / 2) / scale);
  });
}

/** Last rank with a gain above 0. */
const placesMax = 100;

/** The element-wise maximum of all arrays. */
export function maxOf(all: readonly Float64Array[], length: number): Float64Array {
  const best = new Float64Array(length).fill(all.length === 0 ? 0 : -Infinity);
  for (const scores of all) {
    for (let at = 0; at < length; at += 1) best[at] = Math.max(best[at] ?? 0, scores[at] ?? 0);
  }
  return best;
}

/**
 * Dot product of two rows. Callers must ensure that both rows are within their arrays. Dot products take most of the
 * time needed to rank a long tool list. For speed, the loop uses four partial sums that can be added in parallel, and
 * does not validate numbers.
 */
export function dot(
  one: Float32Array,
  oneFrom: number,
  other: Float32Array,
  otherFrom: number,
  length: number,
): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = length - (length % 4);
  let at = 0;
  for (; at < whole; at += 4) {
    first += (one[oneFrom + at] as number) * (other[otherFrom + at] as number);
    second += (one[oneFrom + at + 1] as number) * (other[otherFrom + at + 1] as number);
    third += (one[oneFrom + at + 2] as number) * (other[otherFrom + at + 2] as number);
    fourth += (one[oneFrom + at + 3] as number) * (other[otherFrom + at + 3] as number);
  }
  for (; at < length; at += 1) first += (one[oneFrom + at] as number) * (other[otherFrom + at] as number);
  return first + second + (third + fourth);
}

/** Returns the columns as a matrix, row by row. */
export function layOut(columns: readonly Float64Array[], rows: number): Float32Array {
  const features = new Float32Array(rows * columns.length);
  columns.forEach((values, column) => {
    for (let at = 0; at < rows; at += 1) features[at * columns.length + column] = values[at] ?? 0;
  });
  return features;
}
