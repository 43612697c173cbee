import type { Pieces } from '@gateway/messaging';
import { orderByScore, type TurnQuery } from '../tool-index/keyword-scores.ts';
import type { TurnRanking } from './ranker.port.ts';
import { weightOfOwnWord, type KeywordIndex } from '../tool-index/keyword-index.ts';

/** Properties that differ between ranking methods. */
interface MethodFacts extends Pick<TurnRanking, 'method' | 'methodReason' | 'rankedBy'> {
  /** Converts the best score of a ranking to a confidence. */
  readonly confidence: (topScore: number) => number;
  /** Keyword scores by tool position. */
  readonly keyword: Float64Array;
}

/** Summarizes a ranking from the scores of the tools, for either ranking method. */
export function describeRanking(
  index: KeywordIndex,
  query: TurnQuery,
  scores: Float64Array,
  { confidence, keyword, ...facts }: MethodFacts,
): TurnRanking {
  const order = orderByScore(index, scores);
  const top = order[0] ?? 0;
  const topScore = scores[top] ?? 0;
  const topKeyword = keyword.reduce((best, score) => Math.max(best, score), 0);
  return {
    scores,
    order,
    topScore,
    evidence: topKeyword / Math.max(1e-6, weightOfOwnWord(index)),
    namesTop: isNamed(index, top, query),
    confidence: confidence(topScore),
    ...facts,
  };
}

/** The scores of the second stage and the keyword scores for one turn. */
interface ScoredTurn extends Pick<MethodFacts, 'keyword' | 'rankedBy'> {
  /** Log-odds by tool position. */
  readonly logits: Float64Array;
}

/**
 * Summarizes a ranking from the log-odds of the second stage. The confidence of the ranking is the
 * probability of the best tool.
 */
export function* describeLogits(
  index: KeywordIndex,
  query: TurnQuery,
  { logits, keyword, rankedBy }: ScoredTurn,
): Pieces<TurnRanking> {
  const probabilities = probabilitiesOf(logits);
  yield;
  return describeRanking(index, query, probabilities, {
    confidence: (topScore) => topScore,
    keyword,
    method: 'semantic',
    methodReason: 'semantic',
    rankedBy,
  });
}

/**
 * Minimum weight of a word that can name a tool. Words from turns before the previous turn have a lower weight.
 */
const namingWeightMin = 0.5;

/** Whether the turn contains every word of the tool's name. */
function isNamed({ nameTerms }: KeywordIndex, position: number, query: TurnQuery): boolean {
  const terms = nameTerms[position] ?? [];
  return terms.length > 0 && terms.every((term) => (query.get(term) ?? 0) >= namingWeightMin);
}

/**
 * Logits are rounded to multiples of this step size, because different processors cause differences below
 * the step size.
 */
const logitStep = 1e-4;

/**
 * Applies softmax to the logits of a tool list. Adds the exponentials in ascending order, so that the order
 * of the tools cannot change the probabilities.
 */
export function probabilitiesOf(logits: Float64Array): Float64Array {
  const rounded = logits.map((logit) => Math.round(logit / logitStep) * logitStep);
  const sorted = rounded.toSorted();
  const top = sorted.at(-1) ?? 0;
  const sum = sorted.reduce((all, logit) => all + Math.exp(logit - top), 0);
  return rounded.map((logit) => Math.exp(logit - top) / sum);
}
