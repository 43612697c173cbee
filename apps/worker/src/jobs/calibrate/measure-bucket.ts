import jstat from 'jstat';
import type { Setup } from './setup-change.ts';

/** The measurement of one shadow conversation for one bucket. */
export interface ShadowSample {
  /** Time of the conversation's first request, as RFC 3339. */
  readonly at: string;
  readonly bucket: string;
  /**
   * For each called tool, the smallest K (number of ranked tools) at which the tool set contains the tool at its
   * first call. The values are in descending order, and their number is limited. Empty if the model called no tools.
   */
  readonly neededKs: readonly number[];
  /** `neededKs` with the account head. Null or absent if no account head fitted the conversation. */
  readonly learnedKs?: readonly number[] | null;
  /** Number of called tools that the plan would have pruned if it had been applied. */
  readonly missed: number;
  /** Whether the plan would have enabled recovery. */
  readonly isArmed: boolean;
  /** The probability that the conversation was selected as a shadow conversation, above 0. */
  readonly share: number;
  /** Number of offered tools. */
  readonly tools: number;
  readonly setup: Setup;
}

/**
 * The smallest K (number of ranked tools) for which the tool set would have contained every called tool of
 * the conversation.
 */
export function neededKOf({ neededKs }: Pick<ShadowSample, 'neededKs'>): number {
  return neededKs[0] ?? 1;
}

/**
 * A point on the recall curve. The field `misses` is the number of conversations that lack a needed tool if `k`
 * ranked tools are forwarded.
 */
export type CurvePoint = readonly [k: number, misses: number];

/**
 * Maximum number of points on a curve. Further points would not matter for any realistic recall target.
 */
const pointsMax = 64;
/**
 * Up to `missesInFull` misses, the curve has a point for each number of misses. After that, each point has one
 * eighth more misses than the previous point.
 */
const missesInFull = 40;

/**
 * Measures how recall grows with K (the number of ranked tools). For each number of misses, the function finds the
 * smallest K (number of ranked tools) that causes no more misses. The points on the recall curve are in ascending
 * order of K. Recall never decreases as K grows. The bound for the first point that meets the target is therefore as
 * reliable as a single bound. The choice among many values of K needs no statistical correction.
 */
export function measureCurve(samples: readonly ShadowSample[]): CurvePoint[] {
  const needed = samples.map(neededKOf).sort((one, other) => one - other);
  const points = new Map<number, number>();
  for (let misses = 0; misses < needed.length && points.size < pointsMax; misses = nextMisses(misses)) {
    const k = Math.max(1, needed[needed.length - 1 - misses] ?? 1);
    // Curve points arrive in descending order of K (the number of ranked tools).
    // Among several points with the same K, the first point has the true number of misses.
    if (!points.has(k)) points.set(k, countAbove(needed, k));
  }
  return [...points].sort(([one], [other]) => one - other);
}

function nextMisses(misses: number): number {
  return misses < missesInFull ? misses + 1 : Math.ceil(misses * 1.125);
}

function countAbove(ascending: readonly number[], k: number): number {
  return ascending.length - (ascending.findLastIndex((needed) => needed <= k) + 1);
}

/**
 * Adds the lower bound of recall to each point on the curve. Both K (the number of ranked tools) and recall
 * ascend along the curve.
 */
export function boundCurve(samples: number, curve: readonly CurvePoint[]): [k: number, recallLow: number][] {
  return curve.map(([k, misses]) => [k, boundRecallBelow(samples, misses)]);
}

/**
 * The expected loss at each K (number of ranked tools), summed over the samples. The function `lossOf` converts
 * the number of needed but pruned tools in a conversation to the loss of the conversation. Returns one point
 * for each K at which the sum changes, in ascending order of K, up to the maximum number of points.
 */
export function measureLosses(
  samples: readonly ShadowSample[],
  lossOf: (misses: number) => number,
): CurvePoint[] {
  const ks = [...new Set(samples.flatMap(({ neededKs }) => neededKs))].sort((one, other) => one - other);
  const step = Math.max(1, Math.ceil(ks.length / pointsMax));
  // The points always include the largest K (number of ranked tools), at which no conversation has a loss.
  const shown = ks.filter((_, at) => at % step === (ks.length - 1) % step);
  return shown.map((k) => [
    k,
    samples.reduce((sum, { neededKs }) => sum + lossOf(countWhile(neededKs, (needed) => needed > k)), 0),
  ]);
}

function countWhile(values: readonly number[], test: (value: number) => boolean): number {
  const at = values.findIndex((value) => !test(value));
  return at < 0 ? values.length : at;
}

/** Error probability of each bound. Each bound holds in 95 out of 100 cases. */
const tail = 0.05;

/**
 * The exact one-sided 95% lower bound for recall, given `misses` missed samples among `samples`
 * conversations. The bound is a quantile of the beta distribution. Source: The method comes from Clopper &
 * Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", 1934. Without
 * misses, lower bounds of 90, 95 and 99% require 29, 59 and 299 samples.
 * @param misses the number of misses, which may be fractional (see `boundEffective`)
 */
export function boundRecallBelow(samples: number, misses: number): number {
  return misses >= samples ? 0 : jstat.jStat.beta.inv(tail, samples - misses, misses + 1);
}

/** The exact one-sided 95% upper bound for recall. */
export function boundRecallAbove(samples: number, misses: number): number {
  return misses <= 0 ? 1 : jstat.jStat.beta.inv(1 - tail, samples - misses + 1, misses);
}
