import type { PlanToolsRequest } from '@gateway/contracts';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { TurnRanking } from '../ranking/ranker.port.ts';
import type { RecallCurve, TurnRecall } from '../policy/recall-prior.ts';
import { recallAt, recallsUpTo, surenessOf } from '../policy/recall-prior.ts';

/** The parts of a user turn that affect the tool set. */
export interface RankedTurn {
  readonly ranking: TurnRanking;
  /** Positions of the tools that the turn mentions. */
  readonly mentioned: readonly number[];
  /** Whether the turn only continues the previous task, as in "yes, do it". */
  readonly carriesOn: boolean;
}

/**
 * Minimum coverage of the tool set if adding tools leaves the cached prefix unchanged. Coverage is the
 * probability that a needed tool is in the tool set. Below this coverage, a needed tool is more likely to be
 * pruned than forwarded.
 */
const coverageMin = 0.5;
/**
 * Minimum gain in coverage that justifies rewriting a cached prefix. Coverage is the probability that a needed
 * tool is in the tool set. `gainMin` applies without recovery, and `gainMinReachable` applies with recovery.
 * `gainMinReachable` was measured with `npm run eval:sessions`, on conversations that are not part of its report.
 */
const [gainMin, gainMinReachable] = [0.1, 0.3];
/**
 * The number of tools that a later turn adds after the cached prefix, as a share of the conversation's K. The first
 * turn suggests most tools that a conversation needs. With equal numbers for all turns, the later turns of long
 * conversations would add most of the tool list. The share was chosen on conversations that are not part of the
 * report of `npm run eval:sessions`.
 */
const appendedShare = 1 / 3;

/**
 * The weight of a definition's length against the score of a tool. With weight 1, tools are ordered by the odds of a
 * need per character. In the sessions of `npm run eval:sessions`, needed tools are shorter than other tools. The
 * weight was therefore chosen with the lengths shuffled among the tools of each list. With shuffled lengths, the
 * weights 0.5 to 1 have the lowest costs at an effective recall of 0.95 (decision 10).
 */
const lengthWeight = 0.75;
/** The minimum length of a definition in characters. Shorter definitions are treated like definitions of this length. */
const charactersMin = 32;

/**
 * Orders the tools of a turn by score and by the cost of their definitions. The provider bills every definition that
 * is not deferred, so two short definitions can be worth more than one long definition.
 */
export function weighTurn(
  turn: RankedTurn,
  index: KeywordIndex,
  deferredCost: NonNullable<PlanToolsRequest['deferredCost']>,
): RankedTurn {
  const { method, scores } = turn.ranking;
  const lengths = deferredCost === 'description' ? index.parameterCharacters : index.definitionCharacters;
  const worth = scores.map((score, position) => {
    const logOdds = method === 'semantic' ? Math.log(score) : score;
    return logOdds - lengthWeight * Math.log(Math.max(charactersMin, lengths[position] ?? 0));
  });
  return { ...turn, ranking: { ...turn.ranking, order: orderByScore(index, worth) } };
}

interface GrowthQuestion {
  readonly isIn: (position: number) => boolean;
  /** Positions of the tools that do not count toward K. */
  readonly pinned: ReadonlySet<number>;
  readonly recall: TurnRecall;
  /** The recall that a turn must reach, from 0 to 1. */
  readonly needed: number;
  /** Whether the model can reach pruned tools through recovery. */
  readonly isReachable: boolean;
  /** Whether growing the tool set leaves the cached prefix unchanged. */
  readonly isFree: boolean;
  /**
   * Whether the added tools come after the cached prefix. A tool that is added there costs only its definition,
   * so every turn adds its best tools. A turn that continues the previous task also adds tools, because the
   * later steps of a task often need other tools.
   */
  readonly isAppended: boolean;
  /** The K of each turn, which is an override or the account's measured K. Null if K comes from the priors. */
  readonly fixedK: number | null;
  readonly isOverride: boolean;
  readonly kMin: number;
  readonly surenessMin: number;
}

/**
 * Chooses the tools that a later turn adds to the tool set. An insertion in the middle of the tool list invalidates
 * the prompt cache. It therefore requires a confident ranking and a coverage clearly below the target.
 */
export function chooseGrowth(turn: RankedTurn, question: GrowthQuestion): number[] {
  const { ranking } = turn;
  const { recall, kMin, fixedK, isOverride, isIn } = question;
  if ((turn.carriesOn && !question.isAppended) || surenessOf(ranking) < question.surenessMin) return [];
  const { pinned } = question;
  const ranked =
    pinned.size === 0 ? ranking.order : ranking.order.filter((position) => !pinned.has(position));
  const needed = question.isFree ? Math.max(question.needed, coverageMin) : question.needed;
  const isMeasured = fixedK !== null && !isOverride;
  const sure = isMeasured ? fixedK : recall.kFor(needed);
  const wanted = sure === undefined ? needed : recallAt(recall.curve, sure);
  const least = question.isReachable && !question.isFree ? gainMinReachable : gainMin;
  if (!question.isAppended && coverageOf(ranked, recall.curve, isIn) >= wanted - least) return [];
  // An ambiguous turn adds no tool if the tool set already contains the turn's best-ranked tool.
  // For an ambiguous turn, no K below the whole tool list reaches the required recall.
  if (fixedK === null && sure === undefined && isIn(ranked[0] ?? -1)) return [];
  const share = question.isAppended ? appendedShare : 1;
  const k = fixedK === null ? Math.max(kMin, sure ?? kMin) : Math.ceil(fixedK * share);
  return Array.from(ranked.subarray(0, k)).filter((position) => !isIn(position));
}

/** Probability that a needed tool is in the tool set, computed from the ranks of the set's tools. */
function coverageOf(ranked: Uint32Array, curve: RecallCurve, isIn: (position: number) => boolean): number {
  const count = Math.min(ranked.length, curve.at(-1)?.[0] ?? 0);
  const recalls = recallsUpTo(curve, count);
  let coverage = 0;
  for (let rank = 1; rank <= count; rank += 1) {
    if (isIn(ranked[rank - 1] ?? -1)) coverage += (recalls[rank] ?? 0) - (recalls[rank - 1] ?? 0);
  }
  return coverage;
}
