import type { RoutingMethod } from '@gateway/interchange';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';

/** Shorter lists are always forwarded completely, so they are not ranked by vectors. In tools. */
export const shortListMax = 8;

/**
 * A user turn and its context. Turns after `at` must not influence the ranking, or the tool set of a
 * conversation would change.
 */
export interface RankQuestion {
  /** Texts of the user turns, oldest first. Only turns up to `at` are read. */
  readonly turns: readonly string[];
  readonly at: number;
  /**
   * Names of the tools that the transcript calls, in order of first call. Empty to ignore the agent's loop.
   */
  readonly calledTools?: readonly string[];
  /** Tool results after the turn, newest last. */
  readonly recentResults?: readonly string[];
}

export interface RankOptions {
  /**
   * `keyword` keeps a conversation on keyword ranking if it started there. Otherwise vectors are used if
   * model, list and time permit. `methodReason` reports a fallback.
   */
  readonly method?: RoutingMethod;
  /** In milliseconds of `performance.now()`. After it, a keyword ranking replaces a late ranking. */
  readonly deadlineAt?: number;
}

/**
 * Why a ranking method was used. `semantic`: by vectors, as intended. All others are keyword rankings.
 * `asked`: requested by the caller. `short_list`: all tools are forwarded anyway. `new_tools`: too many tools
 * have no vector yet; they are computed afterwards. `no_model`: the model is missing or broken. `late`: after
 * the deadline. `busy`: too many tasks wait.
 */
export type MethodReason = 'semantic' | 'asked' | 'short_list' | 'new_tools' | 'no_model' | 'late' | 'busy';

/** The ranking of a tool list for one user turn. */
export interface TurnRanking {
  /**
   * By position, 0 or more, comparable within one ranking. With vectors they are probabilities with sum 1, so
   * a ratio to the best score is a difference in log-odds.
   */
  readonly scores: Float64Array;
  /**
   * All positions, best first. Ties are broken by name and definition, so the client's order has no
   * influence.
   */
  readonly order: Uint32Array;
  /** The best score. With keywords it grows with the number of rare words that turn and best tool share. */
  readonly topScore: number;
  /**
   * Whether the turn contains every word of the best tool's name. If the tools of a list share most words, this is the best sign of a correct ranking.
   */
  readonly namesTop: boolean;
  /**
   * 0 to 1: the best tool's share if the scores are log-odds. A probability with vectors, only a hint with
   * keywords.
   */
  readonly confidence: number;
  readonly method: RoutingMethod;
  readonly methodReason: MethodReason;
  /**
   * Identifies the code and the models of the ranking, for the policy version. Equal identifiers rank equally
   * on every replica.
   */
  readonly rankedBy: string;
}

/**
 * Ranks a list for a turn. Request several turns at once (`Promise.all`), so that their inferences share a
 * batch. Never fails if a model, time or Redis is missing: keyword ranking is the fallback.
 */
export interface ToolRanker {
  rank(
    index: KeywordIndex,
    question: RankQuestion,
    options?: RankOptions,
  ): Promise<TurnRanking> | TurnRanking;
}
