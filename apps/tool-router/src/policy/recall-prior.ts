import { z } from 'zod';
import keywordPrior from './keyword-prior.json' with { type: 'json' };
import semanticPrior from './semantic-prior.json' with { type: 'json' };
import type { TurnRanking } from '../ranking/ranker.port.ts';

/**
 * The ranks of needed tools for one ranking method, measured on public data sets. Used until an account has
 * its own measurements.
 */
export interface RecallPrior {
  readonly version: string;
  /** The minimum number of scored tools to forward, however sure the ranking is. */
  readonly kMin: number;
  /** Turns below this sureness contain no information about tools, for example thanks and greetings. */
  readonly surenessMin: number;
  /** Ascending by size. */
  readonly bands: readonly RecallBand[];
}

export interface RecallBand {
  /** The band covers lists of at most this many tools. */
  readonly toolsMax: number;
  /** Size of the lists in the measurement. */
  readonly measuredTools: number;
  /** For turns that contain every word of the best tool's name. */
  readonly named: readonly RecallClass[];
  /** For all other turns. */
  readonly unnamed: readonly RecallClass[];
}

/** Turns from this sureness up to the next class. Ascending; the first class starts at 0. */
export interface RecallClass {
  readonly surenessMin: number;
  readonly curve: RecallCurve;
  /**
   * By overall recall, ascending: the K of this class that gives that recall with the fewest tools. Sure
   * turns gain more recall per tool than unsure turns. Their own recall is therefore above the mean, and that
   * of unsure turns below.
   */
  readonly kFor: readonly (readonly [recall: number, k: number])[];
}

/** The priors of both ranking methods. */
export interface RecallPriors {
  readonly keyword: RecallPrior;
  readonly semantic: RecallPrior;
}

/** How sure a ranking is, on the scale of its method: the best score by keyword, a probability by vectors. */
export function surenessOf({ method, topScore, confidence }: TurnRanking): number {
  return method === 'keyword' ? topScore : confidence;
}

/** A recall curve, and the K for a given recall. */
export interface TurnRecall {
  readonly curve: RecallCurve;
  /** Undefined if no K reaches the recall. */
  kFor(recall: number): number | undefined;
}

/** Recall by the account's own measurements. Every turn uses the same recall. */
export function measuredRecall(curve: RecallCurve): TurnRecall {
  return { curve, kFor: (recall) => smallestK(curve, recall) };
}

/** Recall by the priors, for a ranking of a list of `tools` tools. */
export function priorRecall(prior: RecallPrior, ranking: TurnRanking, tools: number): TurnRecall {
  const band = prior.bands.find(({ toolsMax }) => tools <= toolsMax) ?? prior.bands.at(-1);
  if (band === undefined) return measuredRecall([]);
  const classes = ranking.namesTop && band.named.length > 0 ? band.named : band.unnamed;
  const sureness = surenessOf(ranking);
  const found = classes.findLast(({ surenessMin }) => sureness >= surenessMin) ?? classes[0];
  if (found === undefined) return measuredRecall([]);
  const factor = Math.max(1, tools / band.measuredTools);
  return {
    curve: stretchCurve(found.curve, factor),
    kFor(recall) {
      const k = dealtK(found.kFor, recall);
      return k === undefined ? undefined : Math.ceil(k * factor);
    },
  };
}

/** Interpolates linearly between two measured recalls. */
function dealtK(kFor: RecallClass['kFor'], recall: number): number | undefined {
  const at = kFor.findIndex(([reached]) => reached >= recall);
  const [upper, lower] = [kFor[at], kFor[at - 1]];
  if (upper === undefined || lower === undefined) return upper?.[1];
  const share = (recall - lower[0]) / (upper[0] - lower[0]);
  return lower[1] + share * (upper[1] - lower[1]);
}

/**
 * Probability that a needed tool is among the first K scored tools. Points ascend in both parts. Values
 * between two points are interpolated linearly, from zero at K = 0.
 */
export type RecallCurve = readonly (readonly [k: number, recall: number])[];

/** Recall at a K, 0 to 1. After the last point it stays constant. */
export function recallAt(curve: RecallCurve, k: number): number {
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, recall] of curve) {
    if (k < pointK) return lastRecall + ((recall - lastRecall) * (k - lastK)) / (pointK - lastK);
    [lastK, lastRecall] = [pointK, recall];
  }
  return lastRecall;
}

/** Recall at each K from 0 to `kMax`, in one pass over the points. */
export function recallsUpTo(curve: RecallCurve, kMax: number): Float64Array {
  const recalls = new Float64Array(kMax + 1);
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, recall] of [...curve, [kMax + 1, curve.at(-1)?.[1] ?? 0] as const]) {
    const step = (recall - lastRecall) / (pointK - lastK);
    for (let k = lastK; k < pointK && k <= kMax; k += 1) recalls[k] = lastRecall + step * (k - lastK);
    [lastK, lastRecall] = [pointK, recall];
  }
  return recalls;
}

/** The smallest K that reaches a recall. Undefined if none does. */
export function smallestK(curve: RecallCurve, recall: number): number | undefined {
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, pointRecall] of curve) {
    if (pointRecall >= recall) {
      const share = pointRecall === lastRecall ? 1 : (recall - lastRecall) / (pointRecall - lastRecall);
      return Math.max(1, Math.ceil(lastK + share * (pointK - lastK)));
    }
    [lastK, lastRecall] = [pointK, pointRecall];
  }
  return undefined;
}

/** The curve for a list `factor` times as long, with K scaled by the same factor. A conservative estimate. */
function stretchCurve(curve: RecallCurve, factor: number): RecallCurve {
  return factor <= 1 ? curve : curve.map(([k, recall]) => [Math.ceil(k * factor), recall] as const);
}

const points = z.array(z.tuple([z.number(), z.number()]));
const classes = z.array(z.object({ surenessMin: z.number(), curve: points, kFor: points }));
const priorSchema = z.object({
  version: z.string(),
  kMin: z.int(),
  surenessMin: z.number(),
  bands: z.array(z.object({ toolsMax: z.int(), measuredTools: z.int(), named: classes, unnamed: classes })),
});

/** The shipped priors, generated by `training/k-priors/fit-k-priors.ts`. */
export const recallPriors: RecallPriors = {
  keyword: priorSchema.parse(keywordPrior),
  semantic: priorSchema.parse(semanticPrior),
};
