import { shareOfTop } from './confidence.ts';
import { describeRanking } from './describe-ranking.ts';
import type { RankQuestion, ToolRanker, TurnRanking } from './ranker.port.ts';
import type { ToolListIndex } from './tool-list-index.ts';
import { makeTurnQuery, type TurnQuery } from './turn-query.ts';

/** Fielded BM25 over the turn's words, with gated context. */
export const keywordRanker = {
  rank: (index: ToolListIndex, { turns, at }: RankQuestion): TurnRanking =>
    rankByKeyword(index, makeTurnQuery(turns, at)),
} satisfies ToolRanker;

/** Scores by position. Each tool's sum runs in the order of the query's words, so the order of the tools cannot change it. */
export function scoreByKeyword(index: ToolListIndex, query: TurnQuery): Float64Array {
  const scores = new Float64Array(index.names.length);
  for (const [word, weight] of query) {
    const postings = index.postings.get(word);
    if (postings === undefined) continue;
    postings.positions.forEach((position, at) => {
      scores[position] = (scores[position] ?? 0) + weight * (postings.gains[at] ?? 0);
    });
  }
  return scores;
}

/** What the words of a turn say of the list's tools. */
export function rankByKeyword(index: ToolListIndex, query: TurnQuery): TurnRanking {
  const scores = scoreByKeyword(index, query);
  return describeRanking(index, query, scores, {
    confidence: (topScore) => shareOfTop(scores, topScore),
    method: 'keyword',
    laneReason: 'asked',
    rankedBy: 'keyword.1',
  });
}
