import { shareOfTop } from './confidence.ts';
import { countUpTo } from './places.ts';
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

/** Positions by score, best first; equal scores by name and definition. */
export function orderByScore({ tieRanks }: ToolListIndex, scores: Float64Array): Uint32Array {
  const count = scores.length;
  const ascending = scores.toSorted();
  const byTie = new Uint32Array(count);
  tieRanks.forEach((rank, position) => (byTie[rank] = position));
  // Each tool goes to the first place of those with its score that is free: a sort that compares would take five times as long.
  const taken = new Uint32Array(count);
  const order = new Uint32Array(count);
  for (const position of byTie) {
    const place = count - countUpTo(ascending, scores[position] ?? 0);
    const before = taken[place] ?? 0;
    order[place + before] = position;
    taken[place] = before + 1;
  }
  return order;
}

/** A word that is only carried over from further back than the last turn does not name a tool. */
const namingWeightMin = 0.5;

/** Whether the turn has every word of the tool's name. */
export function isNamed({ nameTerms }: ToolListIndex, position: number, query: TurnQuery): boolean {
  const terms = nameTerms[position] ?? [];
  return terms.length > 0 && terms.every((term) => (query.get(term) ?? 0) >= namingWeightMin);
}

function rankByKeyword(index: ToolListIndex, query: TurnQuery): TurnRanking {
  const scores = scoreByKeyword(index, query);
  const order = orderByScore(index, scores);
  const top = order[0] ?? 0;
  const topScore = scores[top] ?? 0;
  return {
    scores,
    order,
    topScore,
    namesTop: isNamed(index, top, query),
    confidence: shareOfTop(scores, topScore),
    method: 'keyword',
    laneReason: 'asked',
    rankedBy: 'keyword.1',
  };
}
