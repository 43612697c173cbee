import type { TurnRanking } from '../ranking/ranker.port.ts';
import { stretchCurve, type RecallCurve } from './recall-curve.ts';

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

/** The curve of a ranking, for a list of `tools` tools. */
export function priorCurve(prior: RecallPrior, ranking: TurnRanking, tools: number): RecallCurve {
  const band = prior.bands.find(({ toolsMax }) => tools <= toolsMax) ?? prior.bands.at(-1);
  if (band === undefined) return [];
  const classes = ranking.namesTop && band.named.length > 0 ? band.named : band.unnamed;
  const sureness = surenessOf(ranking);
  const found = classes.findLast(({ surenessMin }) => sureness >= surenessMin) ?? classes[0];
  return found === undefined ? [] : stretchCurve(found.curve, tools / band.measuredTools);
}
