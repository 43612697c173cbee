import type { ToolRanker, TurnRanking } from './ranker.port.ts';
import type { ToolListIndex } from './tool-list-index.ts';
import { makeTurnQuery, type TurnQuery } from './turn-query.ts';

/** Fielded BM25 over the turn's words, with gated context. */
export const keywordRanker = {
  method: 'keyword',
  rank: (index: ToolListIndex, turns: readonly string[], at: number): TurnRanking =>
    orderByScore(index, scoreByKeyword(index, makeTurnQuery(turns, at))),
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

export function orderByScore(index: ToolListIndex, scores: Float64Array): TurnRanking {
  const order = Uint32Array.from(scores.keys());
  order.sort((one, other) => {
    const difference = (scores[other] ?? 0) - (scores[one] ?? 0);
    return difference === 0 ? (index.tieRanks[one] ?? 0) - (index.tieRanks[other] ?? 0) : difference;
  });
  return { scores, order, topScore: scores[order[0] ?? 0] ?? 0 };
}
