import jstat from 'jstat';

/** The result of one shadow conversation for one bucket. */
export interface ShadowSample {
  /** Time of its first request, RFC 3339. */
  readonly at: string;
  readonly bucket: string;
  /** The smallest K that contains every tool it called. */
  readonly neededK: number;
  /** The needed K of each request that called tools, up to a limit. */
  readonly neededKs: readonly number[];
  /** Whether the plan, which was not applied, would have pruned a called tool. */
  readonly isMissed: boolean;
  /** Number of offered tools. */
  readonly tools: number;
}

/** With `k` scored tools forwarded, `misses` of the samples lack a tool. */
export type CurvePoint = readonly [k: number, misses: number];

/** Further points would not distinguish any realistic target. */
const pointsMax = 64;
/** Up to this count every miss has a point. After it, points thin out by an eighth. */
const missesInFull = 40;

/**
 * Measures how recall grows with K: for each number of misses, the smallest K with no more misses, ascending. Recall
 * only grows with K, so the first point whose bound meets the target is as reliable as a single bound. Choosing among
 * many K needs no correction.
 */
export function measureCurve(samples: readonly ShadowSample[]): CurvePoint[] {
  const needed = samples.map(({ neededK }) => neededK).sort((one, other) => one - other);
  const points = new Map<number, number>();
  for (let misses = 0; misses < needed.length && points.size < pointsMax; misses = nextMisses(misses)) {
    const k = Math.max(1, needed[needed.length - 1 - misses] ?? 1);
    // Points come in descending K. For equal K the first point has the fewest misses, which is the true number.
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

/** Adds the lower bound to each point of the curve. Both ascend. */
export function boundCurve(samples: number, curve: readonly CurvePoint[]): [k: number, recallLow: number][] {
  return curve.map(([k, misses]) => [k, boundRecallBelow(samples, misses)]);
}

/** The upper bound of recall, measured by the plans that were made. */
export function boundPlannedRecall(samples: readonly ShadowSample[]): number {
  const misses = samples.filter(({ isMissed }) => isMissed).length;
  return boundRecallAbove(samples.length, misses);
}

/** Each bound holds in 95 of 100 cases. */
const tail = 0.05;

/**
 * The exact one-sided 95% lower bound of recall after `misses` among `samples` conversations, computed as a quantile
 * of the beta distribution (Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the
 * binomial", 1934). Without a miss, 90, 95 and 99% require 29, 59 and 299 samples.
 */
export function boundRecallBelow(samples: number, misses: number): number {
  return misses >= samples ? 0 : jstat.jStat.beta.inv(tail, samples - misses, misses + 1);
}

/** The exact one-sided 95% upper bound. */
export function boundRecallAbove(samples: number, misses: number): number {
  return misses <= 0 ? 1 : jstat.jStat.beta.inv(1 - tail, samples - misses + 1, misses);
}
