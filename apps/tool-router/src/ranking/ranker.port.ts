import type { RoutingMethod } from '@gateway/interchange';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';

/** Minimum number of tools in a list that is ranked by vectors. Shorter tool lists are always forwarded in full. */
export const shortListMax = 8;

/**
 * A user turn and its context. Turns after `at` must not influence the ranking, because they would change the
 * conversation's tool set.
 */
export interface RankQuestion {
  /** The user turns, oldest first. The ranking reads only the turns up to `at`. */
  readonly turns: readonly string[];
  readonly at: number;
  /** Names of the tools called in the transcript, in order of the first call. */
  readonly calledTools?: readonly string[];
  /** Tool results that follow the turn, newest last. Without tool results, the state of the agent loop is not used. */
  readonly recentResults?: readonly string[];
}

/**
 * The encoders that a semantic ranking uses. The value `both` means that the second stage reads the vectors of both
 * encoders.
 */
export type EncoderChoice = 'first' | 'both';

/** Prefix of `rankedBy` for rankings with both encoders. With only the first encoder, the prefix is `semantic.1.`. */
const byBoth = 'semantic.2.';

/** Returns the encoders that a ranking's `rankedBy` names. */
export function encodersOf(rankedBy: string): EncoderChoice {
  return rankedBy.startsWith(byBoth) ? 'both' : 'first';
}

/** Names a semantic ranking by the ids of its encoders and of its second stage. */
export function nameSemantic(encoderIds: readonly string[], stage: string): string {
  return `${encoderIds.length > 1 ? byBoth : 'semantic.1.'}${encoderIds.join('.')}${stage}`;
}

export interface RankOptions {
  /**
   * The ranking method to use. The value `keyword` is for conversations that started with keyword ranking. If
   * `method` is not `keyword`, the ranker uses vectors when the model, the tool list and the remaining time
   * permit it. The field `methodReason` reports a fallback to keyword ranking.
   */
  readonly method?: RoutingMethod;
  /**
   * Encoders that the semantic method should use. The default is `first`. If the second encoder or its vectors are
   * not available in time, only the first encoder is used. The field `rankedBy` shows which encoders were used.
   */
  readonly encoders?: EncoderChoice;
  /**
   * Deadline in milliseconds, as a timestamp from `performance.now()`. If vector ranking is not finished by
   * the deadline, the ranker returns keyword ranking.
   */
  readonly deadlineAt?: number;
  /** The account for which the ranking is computed. Accounts take turns on the inference thread. */
  readonly accountId?: string;
}

/**
 * The reason why this ranking method was used. The reason `semantic` means that vectors ranked the tool list. All other
 * reasons apply to keyword rankings. The reason `asked` means that the caller requested keyword ranking. The reason
 * `short_list` means that all tools are forwarded. The reason `new_tools` means that too many tools have no vector yet.
 * Missing vectors are computed after the plan has been made. The reason `no_model` means that the model is missing or broken.
 * The reason `late` means that the deadline has passed. The reason `busy` means that too many tasks are waiting.
 */
export type MethodReason = 'semantic' | 'asked' | 'short_list' | 'new_tools' | 'no_model' | 'late' | 'busy';

/** The ranking of a tool list for one user turn. */
export interface TurnRanking {
  /**
   * Scores of the tools, by position. Scores are at least 0, and comparable only within one ranking. For
   * vector ranking, the scores are probabilities that add up to 1. The difference between two tools in
   * log-odds is the logarithm of the ratio of their scores.
   */
  readonly scores: Float64Array;
  /**
   * All tool positions, best tool first. Tools with equal scores are sorted by name and definition, so the
   * order of the client's tool list has no influence.
   */
  readonly order: Uint32Array;
  /**
   * The score of the best-ranked tool. For keyword ranking, this score increases with the number of rare
   * words that the turn and the best tool share.
   */
  readonly topScore: number;
  /**
   * How clearly the words of the turn and its context indicate the needed tools. The evidence is the best
   * keyword score, divided by the weight of a word that occurs in only one tool. The evidence is 0 if no tool
   * contains a word of the turn or of the context. BM25 weights are log-odds (Robertson & Spärck Jones, 1976).
   * The evidence of one distinctive word is 1, so the evidence is comparable between tool lists of any size.
   * Both ranking methods compute the evidence from the keyword scores.
   */
  readonly evidence: number;
  /**
   * Whether the turn contains every word of the best tool's name. If most tools in a list share words, a turn
   * with all words of a tool name is the best sign of a correct ranking.
   */
  readonly namesTop: boolean;
  /**
   * The best tool's value after softmax over the log-odds of all tools, from 0 to 1. For vector ranking, the
   * confidence is a probability. For keyword ranking, the confidence is only a rough estimate.
   */
  readonly confidence: number;
  readonly method: RoutingMethod;
  readonly methodReason: MethodReason;
  /**
   * Identifies the ranking code and the models. The identifier is part of the policy version. With equal
   * identifiers, every replica produces the same ranking.
   */
  readonly rankedBy: string;
}

/**
 * Ranks a tool list for a turn. Callers should request the rankings of several turns concurrently
 * (`Promise.all`), so that the inferences share a batch. The ranker never throws an error. If the model or
 * Redis is unavailable, or too little time is left, the ranker falls back to keyword ranking.
 */
export interface ToolRanker {
  rank(
    index: KeywordIndex,
    question: RankQuestion,
    options?: RankOptions,
  ): Promise<TurnRanking> | TurnRanking;
}
