import { runAtOnce, type Pieces } from '@gateway/messaging';
import { describeRanking } from './describe-ranking.ts';
import type { RankQuestion, ToolRanker, TurnRanking } from './ranker.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { TurnQuery } from '../tool-index/keyword-scores.ts';
import { makeTurnQuery, scoreByKeyword } from '../tool-index/keyword-scores.ts';

/** Ranks tools by fielded BM25 over the words of the turn and its context. */
export const keywordRanker = {
  rank: (index: KeywordIndex, { turns, at }: RankQuestion): TurnRanking =>
    runAtOnce(rankByKeyword(index, makeTurnQuery(turns, at))),
} satisfies ToolRanker;

/** Ranks a tool list by a turn's words. */
export function* rankByKeyword(index: KeywordIndex, query: TurnQuery): Pieces<TurnRanking> {
  const scores = yield* scoreByKeyword(index, query);
  yield;
  return describeRanking(index, query, scores, {
    confidence: (topScore) => shareOfTop(scores, topScore),
    keyword: scores,
    method: 'keyword',
    methodReason: 'asked',
    rankedBy: 'keyword.1',
  });
}

/**
 * Applies softmax to the scores (as log-odds), and returns the value of the best score, between 0 and 1.
 * Returns 0 if the list of scores is empty.
 */
function shareOfTop(scores: Float64Array, topScore: number): number {
  // The exponentials are added in ascending order, so that the order of the tools cannot change the sum.
  const sum = scores.toSorted().reduce((all, score) => all + Math.exp(score - topScore), 0);
  return sum === 0 ? 0 : 1 / sum;
}
