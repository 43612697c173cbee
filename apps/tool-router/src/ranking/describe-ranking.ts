import { countUpTo } from './places.ts';
import { probabilitiesOf } from './probabilities.ts';
import type { TurnRanking } from './ranker.port.ts';
import type { ToolListIndex } from './tool-list-index.ts';
import type { TurnQuery } from './turn-query.ts';

/** What only the lane that scored can say of a ranking. */
export interface Lane extends Pick<TurnRanking, 'method' | 'laneReason' | 'rankedBy'> {
  /** By the best score. */
  readonly confidence: (topScore: number) => number;
}

/** A ranking by scores, whichever lane they are of. */
export function describeRanking(
  index: ToolListIndex,
  query: TurnQuery,
  scores: Float64Array,
  { confidence, ...lane }: Lane,
): TurnRanking {
  const order = orderByScore(index, scores);
  const top = order[0] ?? 0;
  const topScore = scores[top] ?? 0;
  return {
    scores,
    order,
    topScore,
    namesTop: isNamed(index, top, query),
    confidence: confidence(topScore),
    ...lane,
  };
}

/** A ranking by the second stage's log-odds: the best tool's probability is how sure it is. */
export function describeLogits(
  index: ToolListIndex,
  query: TurnQuery,
  logits: Float64Array,
  rankedBy: string,
): TurnRanking {
  return describeRanking(index, query, probabilitiesOf(logits), {
    confidence: (topScore) => topScore,
    method: 'semantic',
    laneReason: 'semantic',
    rankedBy,
  });
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
function isNamed({ nameTerms }: ToolListIndex, position: number, query: TurnQuery): boolean {
  const terms = nameTerms[position] ?? [];
  return terms.length > 0 && terms.every((term) => (query.get(term) ?? 0) >= namingWeightMin);
}
