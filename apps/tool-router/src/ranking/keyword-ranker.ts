import { describeRanking } from './describe-ranking.ts';
import type { RankQuestion, ToolRanker, TurnRanking } from './ranker.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { TurnQuery } from '../tool-index/keyword-scores.ts';
import { makeTurnQuery, scoreByKeyword } from '../tool-index/keyword-scores.ts';

/** Fielded BM25 over the turn's words, with gated context. */
export const keywordRanker = {
  rank: (index: KeywordIndex, { turns, at }: RankQuestion): TurnRanking =>
    rankByKeyword(index, makeTurnQuery(turns, at)),
} satisfies ToolRanker;

/** What the words of a turn say of the list's tools. */
export function rankByKeyword(index: KeywordIndex, query: TurnQuery): TurnRanking {
  const scores = scoreByKeyword(index, query);
  return describeRanking(index, query, scores, {
    confidence: (topScore) => shareOfTop(scores, topScore),
    method: 'keyword',
    methodReason: 'asked',
    rankedBy: 'keyword.1',
  });
}

/** The best score's share when scores are read as log-odds (softmax), 0 to 1; 0 for none. */
function shareOfTop(scores: Float64Array, topScore: number): number {
  // Summed by size: the order in which the tools came must not change the last digit.
  const sum = scores.toSorted().reduce((all, score) => all + Math.exp(score - topScore), 0);
  return sum === 0 ? 0 : 1 / sum;
}
