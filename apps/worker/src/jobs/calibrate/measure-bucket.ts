import jstat from 'jstat';

/** A shadow session: what it says about one bucket. */
export interface ShadowSample {
  /** Its first request, RFC 3339. */
  readonly at: string;
  readonly bucket: string;
  /** The smallest K that would have held every tool that it called. */
  readonly neededK: number;
  /** The same for each of its requests that called tools, as far as they are read. */
  readonly neededKs: readonly number[];
  /** Whether the plan that was made, and not followed, would have left one of them out. */
  readonly isMissed: boolean;
  /** Tools offered. */
  readonly tools: number;
}

/** With `k` scored tools forwarded, `misses` of the samples would have lacked a tool. */
export type CurvePoint = readonly [k: number, misses: number];

/** More points than these tell no target apart that anybody sets. */
const pointsMax = 64;
/** Up to here each further miss has its point; from here on they thin out by an eighth. */
const missesInFull = 40;

/**
 * How recall grows with K, by ascending K: for each number of misses the smallest K that has no more. Recall only grows
 * with K, so the first point whose bound meets a target is right as often as a single bound is: choosing among many K
 * costs nothing.
 */
export function measureCurve(samples: readonly ShadowSample[]): CurvePoint[] {
  const needed = samples.map(({ neededK }) => neededK).sort((one, other) => one - other);
  const points = new Map<number, number>();
  for (let misses = 0; misses < needed.length && points.size < pointsMax; misses = nextMisses(misses)) {
    const k = Math.max(1, needed[needed.length - 1 - misses] ?? 1);
    // Descending in K, so of one K the most misses would be kept: the point with fewest is the true one.
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

/** The curve with its lower bounds, ascending in both. */
export function boundCurve(samples: number, curve: readonly CurvePoint[]): [k: number, recallLow: number][] {
  return curve.map(([k, misses]) => [k, boundRecallBelow(samples, misses)]);
}

/** What recall is at most, by the plans that were made. */
export function boundPlannedRecall(samples: readonly ShadowSample[]): number {
  const misses = samples.filter(({ isMissed }) => isMissed).length;
  return boundRecallAbove(samples.length, misses);
}

/** Each bound holds in 95 of 100 cases. */
const tail = 0.05;

/**
 * The exact one-sided 95% lower bound of recall after `misses` among `samples` sessions (Clopper & Pearson, "The use of
 * confidence or fiducial limits illustrated in the case of the binomial", 1934, by way of the beta distribution's
 * quantile). So 90, 95 and 99% take 29, 59 and 299 samples without a miss.
 */
export function boundRecallBelow(samples: number, misses: number): number {
  return misses >= samples ? 0 : jstat.jStat.beta.inv(tail, samples - misses, misses + 1);
}

/** The exact one-sided 95% upper bound. */
export function boundRecallAbove(samples: number, misses: number): number {
  return misses <= 0 ? 1 : jstat.jStat.beta.inv(1 - tail, samples - misses + 1, misses);
}
