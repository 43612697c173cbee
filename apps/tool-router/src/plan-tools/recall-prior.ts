import type { TurnRanking } from '../ranking/ranker.port.ts';
import { smallestK, stretchCurve, type RecallCurve } from './recall-curve.ts';

/** How far down a lane's rankings needed tools stand, as measured on public sets before an account has figures of its own. */
export interface RecallPrior {
  readonly version: string;
  /** Lists of at most this many scored tools go out whole. */
  readonly shortListMax: number;
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
