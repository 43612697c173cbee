import { z } from 'zod';
import keywordPrior from './keyword-prior.json' with { type: 'json' };
import semanticPrior from './semantic-prior.json' with { type: 'json' };
import type { TurnRanking } from '../ranking/ranker.port.ts';

/** How far down a lane's rankings needed tools stand, as measured on public sets before an account has figures of its own. */
export interface RecallPrior {
  readonly version: string;
  /** However sure, at least so many of the scored tools go out. */
  readonly kMin: number;
  /** Turns that are less sure tell nothing about tools: thanks and greetings. */
  readonly surenessMin: number;
  /** Ascending by size. */
  readonly bands: readonly RecallBand[];
}

export interface RecallBand {
  /** The band holds lists of at most this many tools. */
  readonly toolsMax: number;
  /** Size of the lists that it was measured on. */
  readonly measuredTools: number;
  /** For turns that have every word of the best tool's name. */
  readonly named: readonly RecallClass[];
  /** For the other turns. */
  readonly unnamed: readonly RecallClass[];
}

/** Turns that are at least so sure, and less so than the next class. Ascending; the first begins at 0. */
export interface RecallClass {
  readonly surenessMin: number;
  readonly curve: RecallCurve;
  /**
   * By recall over all classes, ascending: the K of this one with which that recall takes the fewest tools. Sure turns give more
   * recall for a tool than unsure ones, so they are held to more than the mean, and those to less.
   */
  readonly kFor: readonly (readonly [recall: number, k: number])[];
}

/** The priors of both lanes. */
export interface RecallPriors {
  readonly keyword: RecallPrior;
  readonly semantic: RecallPrior;
}

/** How sure a ranking is, on its lane's own scale: the best score by keyword, a probability by vectors. */
export function surenessOf({ method, topScore, confidence }: TurnRanking): number {
  return method === 'keyword' ? topScore : confidence;
}

/** How likely needed tools stand how far up, and how many go out for a recall. */
export interface TurnRecall {
  readonly curve: RecallCurve;
  /** Undefined where no K reaches it. */
  kFor(recall: number): number | undefined;
}

/** By what an account has measured: every turn is held to the same recall. */
export function measuredRecall(curve: RecallCurve): TurnRecall {
  return { curve, kFor: (recall) => smallestK(curve, recall) };
}

/** By what was measured on public sets, for a ranking of a list of `tools` tools. */
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

/** Between two of the recalls that K was dealt out for, it is taken to grow evenly. */
function dealtK(kFor: RecallClass['kFor'], recall: number): number | undefined {
  const at = kFor.findIndex(([reached]) => reached >= recall);
  const [upper, lower] = [kFor[at], kFor[at - 1]];
  if (upper === undefined || lower === undefined) return upper?.[1];
  const share = (recall - lower[0]) / (upper[0] - lower[0]);
  return lower[1] + share * (upper[1] - lower[1]);
}

/**
 * How likely a needed tool stands among the first K of those that are scored: points ascending in both parts. Between two
 * points it is taken to grow evenly, from nothing at K = 0.
 */
export type RecallCurve = readonly (readonly [k: number, recall: number])[];

/** Recall at a K, 0 to 1. Past the last point it is that point's. */
export function recallAt(curve: RecallCurve, k: number): number {
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, recall] of curve) {
    if (k < pointK) return lastRecall + ((recall - lastRecall) * (k - lastK)) / (pointK - lastK);
    [lastK, lastRecall] = [pointK, recall];
  }
  return lastRecall;
}

/** Recall at each K from 0 to `kMax`, in one walk along the points. */
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

/** The smallest K that reaches a recall; undefined where none does. */
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

/** The curve of a list `factor` times as long, as if its tools were as many times more alike: never too good. */
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
