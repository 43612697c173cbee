import { z } from 'zod';
import bothPrior from './both-prior.json' with { type: 'json' };
import deferralPrior from './deferral-prior.json' with { type: 'json' };
import keywordPrior from './keyword-prior.json' with { type: 'json' };
import semanticPrior from './semantic-prior.json' with { type: 'json' };
import { encodersOf, type TurnRanking } from '../ranking/ranker.port.ts';

/**
 * The priors of one ranking method, derived from the ranks of needed tools in public data sets. The router
 * uses the priors until an account has its own measurements.
 */
export interface RecallPrior {
  readonly version: string;
  /** Minimum number of ranked tools to forward, even with a very confident ranking. */
  readonly kMin: number;
  /**
   * Minimum confidence of a turn that contains information about tools. A turn that contains only thanks or a
   * greeting has a lower confidence.
   */
  readonly surenessMin: number;
  /** Bands of tool list sizes, in ascending order. */
  readonly bands: readonly RecallBand[];
  readonly deferral: DeferralPrior;
}

/**
 * How the provider defers tools of a conversation with bound reasoning. With `loading`, later user turns load more
 * tools. With `constant`, the first turn decides the tool set. With `described`, the tool set is also constant, and
 * the prompt contains the names and descriptions of deferred tools. With `pruned`, the provider cannot defer tools, so
 * the model cannot reach any tool outside the constant tool set.
 */
export type DeferralMode = 'loading' | 'constant' | 'described' | 'pruned';

/**
 * The priors for conversations in which the provider defers tools. Whole conversations were replayed as the gateway
 * serves them.
 */
export interface DeferralPrior {
  readonly version: string;
  readonly modes: Readonly<Record<DeferralMode, readonly DeferralBand[]>>;
}

/** The values of K at which the 95% lower bound of recall meets a target, in ascending order of the target. */
export interface DeferralBand {
  readonly toolsMax: number;
  readonly measuredTools: number;
  /** K by effective recall, at the recovery rate 0.5. */
  readonly kFor: readonly (readonly [recall: number, k: number])[];
  /** K by forwarded recall. */
  readonly kWithoutRecovery: readonly (readonly [recall: number, k: number])[];
}

export interface RecallBand {
  /** Maximum number of tools in a tool list for this band. */
  readonly toolsMax: number;
  /** Size of the tool lists used in the measurement. */
  readonly measuredTools: number;
  /** Priors for turns that contain every word of the best tool's name. */
  readonly named: readonly RecallClass[];
  /** Priors for turns that do not contain every word of the best tool's name. */
  readonly unnamed: readonly RecallClass[];
}

/**
 * A class of turns with similar confidence. The field `surenessMin` is the lowest confidence in the class.
 * The class contains all turns with a confidence from `surenessMin` up to the `surenessMin` of the next
 * class. Classes are in ascending order of confidence, and the first class starts at 0.
 */
export interface RecallClass {
  readonly surenessMin: number;
  readonly curve: RecallCurve;
  /**
   * The K (number of ranked tools) of a class of turns for each overall recall, in ascending order. If every
   * class uses its K, the turns reach the overall recall with the fewest forwarded tools in total. Each
   * forwarded tool raises the recall of confident turns more than the recall of unsure turns. Confident turns
   * have an above-average recall, and unsure turns have a below-average recall.
   */
  readonly kFor: readonly (readonly [recall: number, k: number])[];
}

/** The priors for each ranking method. The semantic method has different priors if both encoders rank the tools. */
export interface RecallPriors {
  readonly keyword: RecallPrior;
  readonly semantic: RecallPrior;
  readonly both: RecallPrior;
}

/** The priors that apply to a ranking, by its method and its encoders. */
export function priorFor(
  priors: RecallPriors,
  { method, rankedBy }: Pick<TurnRanking, 'method' | 'rankedBy'>,
): RecallPrior {
  return encodersOf(rankedBy) === 'both' ? priors.both : priors[method];
}

/**
 * Confidence of a ranking, on the scale of its ranking method. For keyword ranking, the confidence is
 * the best score. For vector ranking, it is a probability.
 */
export function surenessOf({ method, topScore, confidence }: TurnRanking): number {
  return method === 'keyword' ? topScore : confidence;
}

/** A recall curve, with a function that returns the K (number of ranked tools) needed for a given recall. */
export interface TurnRecall {
  readonly curve: RecallCurve;
  /**
   * The smallest K (number of ranked tools) that reaches the recall. Undefined if no K reaches the
   * recall.
   */
  kFor(recall: number): number | undefined;
}

/**
 * Recall according to the account's own measurements. If recall was measured, every turn uses the same recall curve.
 */
export function measuredRecall(curve: RecallCurve): TurnRecall {
  return { curve, kFor: (recall) => smallestK(curve, recall) };
}

/** Recall according to the priors for a ranked list of `tools` tools. */
export function priorRecall(prior: RecallPrior, ranking: TurnRanking, tools: number): TurnRecall {
  const band = prior.bands.find(({ toolsMax }) => tools <= toolsMax) ?? prior.bands.at(-1);
  if (band === undefined) return measuredRecall([]);
  const classes = ranking.namesTop && band.named.length > 0 ? band.named : band.unnamed;
  const sureness = surenessOf(ranking);
  const found = classes.findLast(({ surenessMin }) => sureness >= surenessMin) ?? classes[0];
  if (found === undefined) return measuredRecall([]);
  return stretchClass(found, Math.max(1, tools / band.measuredTools));
}

/** The recovery rate at which the priors for deferral were measured. */
const deferralRecoveryRate = 0.5;

/**
 * The K of a whole conversation with bound reasoning. With a recovery rate below 0.5, forwarded recall must meet the
 * target. Infinity means that no measured K meets the target, so that all tools are sent.
 */
export function deferralK(
  { deferral }: RecallPrior,
  mode: DeferralMode,
  wanted: { readonly tools: number; readonly recallTarget: number; readonly recoveredShare: number },
): number {
  const bands = deferral.modes[mode];
  const band = bands.find(({ toolsMax }) => wanted.tools <= toolsMax) ?? bands.at(-1);
  const table = wanted.recoveredShare < deferralRecoveryRate ? band?.kWithoutRecovery : band?.kFor;
  const [, k] = table?.find(([recall]) => recall >= wanted.recallTarget) ?? [];
  if (band === undefined || k === undefined) return Infinity;
  return Math.ceil(k * Math.max(1, wanted.tools / band.measuredTools));
}

/** The most recent recall of each class of turns. Most tool lists of an account have the same length. */
const stretched = new WeakMap<RecallClass, { readonly factor: number; readonly recall: TurnRecall }>();

function stretchClass(found: RecallClass, factor: number): TurnRecall {
  const known = stretched.get(found);
  if (known?.factor === factor) return known.recall;
  const recall: TurnRecall = {
    curve: stretchCurve(found.curve, factor),
    kFor(needed) {
      const k = dealtK(found.kFor, needed);
      return k === undefined ? undefined : Math.ceil(k * factor);
    },
  };
  stretched.set(found, { factor, recall });
  return recall;
}

/** Interpolates linearly between two measured recall values. */
function dealtK(kFor: RecallClass['kFor'], recall: number): number | undefined {
  const at = kFor.findIndex(([reached]) => reached >= recall);
  const [upper, lower] = [kFor[at], kFor[at - 1]];
  if (upper === undefined || lower === undefined) return upper?.[1];
  const share = (recall - lower[0]) / (upper[0] - lower[0]);
  return lower[1] + share * (upper[1] - lower[1]);
}

/**
 * Probability that a needed tool is among the first K ranked tools. Along the recall curve, both K (the number
 * of ranked tools) and the recall increase. Recall is interpolated linearly between the points, starting with
 * zero at K = 0.
 */
export type RecallCurve = readonly (readonly [k: number, recall: number])[];

/**
 * Recall at K (the number of ranked tools), from 0 to 1. Beyond the last point of the curve, recall is
 * constant.
 */
export function recallAt(curve: RecallCurve, k: number): number {
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, recall] of curve) {
    if (k < pointK) return lastRecall + ((recall - lastRecall) * (k - lastK)) / (pointK - lastK);
    [lastK, lastRecall] = [pointK, recall];
  }
  return lastRecall;
}

/** The most recently computed recalls of each curve. */
const recallsOf = new WeakMap<RecallCurve, Float64Array>();

/**
 * Recall at each K (number of ranked tools) from 0 to `kMax`. The recalls of a curve are cached, because most
 * turns of a conversation use the same curve.
 */
export function recallsUpTo(curve: RecallCurve, kMax: number): Float64Array {
  const known = recallsOf.get(curve);
  if (known?.length === kMax + 1) return known;
  const recalls = computeRecalls(curve, kMax);
  recallsOf.set(curve, recalls);
  return recalls;
}

function computeRecalls(curve: RecallCurve, kMax: number): Float64Array {
  const recalls = new Float64Array(kMax + 1);
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, recall] of [...curve, [kMax + 1, curve.at(-1)?.[1] ?? 0] as const]) {
    const step = (recall - lastRecall) / (pointK - lastK);
    for (let k = lastK; k < pointK && k <= kMax; k += 1) recalls[k] = lastRecall + step * (k - lastK);
    [lastK, lastRecall] = [pointK, recall];
  }
  return recalls;
}

/** The smallest K that reaches a given recall. Undefined if no K reaches the recall. */
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

/**
 * Adapts a recall curve to a tool list that is `factor` times as long as the measured list. Each K (number
 * of ranked tools) on the curve is multiplied by `factor`. The stretched curve is a conservative estimate.
 */
function stretchCurve(curve: RecallCurve, factor: number): RecallCurve {
  return factor <= 1 ? curve : curve.map(([k, recall]) => [Math.ceil(k * factor), recall] as const);
}

const points = z.array(z.tuple([z.number(), z.number()]));
const classes = z.array(z.object({ surenessMin: z.number(), curve: points, kFor: points }));
const deferralBands = z.array(
  z.object({ toolsMax: z.int(), measuredTools: z.int(), kFor: points, kWithoutRecovery: points }),
);
const deferralSchema = z.object({
  version: z.string(),
  modes: z.object({
    loading: deferralBands,
    constant: deferralBands,
    described: deferralBands,
    pruned: deferralBands,
  }),
});
const priorSchema = z.object({
  version: z.string(),
  kMin: z.int(),
  surenessMin: z.number(),
  bands: z.array(z.object({ toolsMax: z.int(), measuredTools: z.int(), named: classes, unnamed: classes })),
});

const parsePrior = (prior: unknown, deferral: unknown): RecallPrior => ({
  ...priorSchema.parse(prior),
  deferral: deferralSchema.parse(deferral),
});

/**
 * The shipped priors, generated by `training/k-priors/fit-k-priors.ts` and, for conversations with deferral, by
 * `training/k-priors/fit-deferral-priors.ts`.
 */
export const recallPriors: RecallPriors = {
  keyword: parsePrior(keywordPrior, deferralPrior.keyword),
  semantic: parsePrior(semanticPrior, deferralPrior.semantic),
  both: parsePrior(bothPrior, deferralPrior.both),
};
