import type { TurnRanking } from '../ranking/ranker.port.ts';
import type { RecallCurve, TurnRecall } from '../policy/recall-prior.ts';
import { recallAt, recallsUpTo, surenessOf } from '../policy/recall-prior.ts';

/** A user turn as far as it decides about tools. */
export interface RankedTurn {
  readonly ranking: TurnRanking;
  /** Positions of tools that the turn names. */
  readonly mentioned: readonly number[];
  /** Whether it only carries on what was begun: "yes, do it". */
  readonly carriesOn: boolean;
}

/** Where growing rewrites no cache, a turn adds its tools once it is more likely than not that one of them is out. */
const coverageMin = 0.5;
/**
 * What a growth must add to the chance that a needed tool is in, to be worth a rewritten cache: where what is out is lost, and
 * where the safety net reaches it. The latter by `npm run eval:sessions`, of sessions that its report leaves out.
 */
const [gainMin, gainMinReachable] = [0.1, 0.3];

interface GrowthQuestion {
  readonly isIn: (position: number) => boolean;
  /** Positions that take no place in K. */
  readonly pinned: ReadonlySet<number>;
  readonly recall: TurnRecall;
  /** What must be forwarded of what a turn needs. */
  readonly needed: number;
  /** Whether the safety net reaches what is out. */
  readonly isReachable: boolean;
  /** Whether growing rewrites no cached prefix. */
  readonly isFree: boolean;
  readonly kOverride: number | null;
  readonly kMin: number;
  readonly surenessMin: number;
}

/**
 * What a later turn adds to a session's set. Growing rewrites a cached prefix, so it takes evidence: the turn says what it
 * wants, and what it needs is out more often than the target allows.
 */
export function chooseGrowth(turn: RankedTurn, question: GrowthQuestion): number[] {
  const { ranking } = turn;
  const { recall, kMin, kOverride, isIn } = question;
  if (turn.carriesOn || surenessOf(ranking) < question.surenessMin) return [];
  const ranked = Array.from(ranking.order).filter((position) => !question.pinned.has(position));
  const needed = question.isFree ? Math.max(question.needed, coverageMin) : question.needed;
  const sure = recall.kFor(needed);
  const wanted = sure === undefined ? needed : recallAt(recall.curve, sure);
  const least = question.isReachable && !question.isFree ? gainMinReachable : gainMin;
  if (coverageOf(ranked, recall.curve, isIn) >= wanted - least) return [];
  // A turn that is not sure would need the whole list; while its best tool is in, it goes without.
  if (kOverride === null && sure === undefined && isIn(ranked[0] ?? -1)) return [];
  const k = kOverride ?? Math.max(kMin, sure ?? kMin);
  return ranked.slice(0, k).filter((position) => !isIn(position));
}

/** How likely a tool that the turn needs is in: by the ranks of those that are. */
function coverageOf(
  ranked: readonly number[],
  curve: RecallCurve,
  isIn: (position: number) => boolean,
): number {
  const count = Math.min(ranked.length, curve.at(-1)?.[0] ?? 0);
  const recalls = recallsUpTo(curve, count);
  let coverage = 0;
  for (let rank = 1; rank <= count; rank += 1) {
    if (isIn(ranked[rank - 1] ?? -1)) coverage += (recalls[rank] ?? 0) - (recalls[rank - 1] ?? 0);
  }
  return coverage;
}
