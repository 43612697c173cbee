import type { RoutingMethod } from '@gateway/interchange';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';

/** Shorter lists are always sent whole, so they are not ranked by vectors. Counts tools. */
export const shortListMax = 8;

/** A user turn of a transcript, with what bears on it. What comes later than turn `at` must not matter, or a session's set would change under it. */
export interface RankQuestion {
  /** Texts of the user's turns, oldest first. Only those up to `at` are read. */
  readonly turns: readonly string[];
  readonly at: number;
  /** Names of the tools that the transcript calls, in order of first call; none where the loop is to play no part. */
  readonly calledTools?: readonly string[];
  /** What came after the turn: results of open calls, newest last. */
  readonly recentResults?: readonly string[];
}

export interface RankOptions {
  /**
   * `keyword` stays on the fast path, for a session that began there. Else vectors are used as far as model, list and
   * time allow, and `methodReason` says what was done instead.
   */
  readonly method?: RoutingMethod;
  /** Milliseconds of `performance.now()` from which on the keyword ranking is better than a late one. */
  readonly deadlineAt?: number;
}

/**
 * Why a ranking was made as it was. `semantic`: by vectors, as wanted. The rest are keyword rankings: `asked` for by the
 * caller; `short_list`: so few tools that all go out anyway; `new_tools`: too many have no vector yet, and theirs are made
 * after the answer; `no_model`: the model is not there or broken; `late`: past the deadline; `busy`: too much waits before it.
 */
export type MethodReason = 'semantic' | 'asked' | 'short_list' | 'new_tools' | 'no_model' | 'late' | 'busy';

/** How the tools of a list stand to one user turn. */
export interface TurnRanking {
  /**
   * By position in the list; 0 or more, comparable within one ranking. By vectors they are probabilities, which sum to one
   * over the list, so that a share of the best score is a distance in log-odds.
   */
  readonly scores: Float64Array;
  /** Positions, best first, every one of them. Ties are broken by name and definition, so the client's order has no say. */
  readonly order: Uint32Array;
  /** The best score: for the keyword ranker, how many rare words of the turn its best tool has. */
  readonly topScore: number;
  /** Whether the turn has every word of the best tool's name. Of the signs that the right tool is near the top, the best one for lists whose tools share most words. */
  readonly namesTop: boolean;
  /** 0 to 1: the best tool's share when the scores are read as log-odds. A probability by vectors, no more than a hint by keyword. */
  readonly confidence: number;
  readonly method: RoutingMethod;
  readonly methodReason: MethodReason;
  /** Names code and models that ranked, for the policy version: rankings by one name are the same on every replica. */
  readonly rankedBy: string;
}

/**
 * Ranks a list for a turn of a transcript. Several turns are best asked about at once (`Promise.all`): their inferences
 * share a batch. Never fails for want of a model, of time or of Redis: the keyword ranking takes the place.
 */
export interface ToolRanker {
  rank(
    index: KeywordIndex,
    question: RankQuestion,
    options?: RankOptions,
  ): Promise<TurnRanking> | TurnRanking;
}
