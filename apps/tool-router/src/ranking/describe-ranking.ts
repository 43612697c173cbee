import type { TurnQuery } from '../tool-index/keyword-scores.ts';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { TurnRanking } from './ranker.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';

/** What only the lane that scored can say of a ranking. */
interface MethodFacts extends Pick<TurnRanking, 'method' | 'methodReason' | 'rankedBy'> {
  /** By the best score. */
  readonly confidence: (topScore: number) => number;
}

/** A ranking by scores, whichever lane they are of. */
export function describeRanking(
  index: KeywordIndex,
  query: TurnQuery,
  scores: Float64Array,
  { confidence, ...lane }: MethodFacts,
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
  index: KeywordIndex,
  query: TurnQuery,
  logits: Float64Array,
  rankedBy: string,
): TurnRanking {
  return describeRanking(index, query, probabilitiesOf(logits), {
    confidence: (topScore) => topScore,
    method: 'semantic',
    methodReason: 'semantic',
    rankedBy,
  });
}

/** A word that is only carried over from further back than the last turn does not name a tool. */
const namingWeightMin = 0.5;

/** Whether the turn has every word of the tool's name. */
function isNamed({ nameTerms }: KeywordIndex, position: number, query: TurnQuery): boolean {
  const terms = nameTerms[position] ?? [];
  return terms.length > 0 && terms.every((term) => (query.get(term) ?? 0) >= namingWeightMin);
}

/** Differences of logits smaller than this are those of processors, not of tools. */
const logitStep = 1e-4;

/** Softmax over a list's logits. Summed by size, so that the order of the tools cannot change the last digit. */
function probabilitiesOf(logits: Float64Array): Float64Array {
  const rounded = logits.map((logit) => Math.round(logit / logitStep) * logitStep);
  const sorted = rounded.toSorted();
  const top = sorted.at(-1) ?? 0;
  const sum = sorted.reduce((all, logit) => all + Math.exp(logit - top), 0);
  return rounded.map((logit) => Math.exp(logit - top) / sum);
}
