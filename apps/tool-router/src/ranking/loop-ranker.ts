import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { RankOptions, RankQuestion, ToolRanker, TurnRanking } from './ranker.port.ts';

/**
 * Log-odds added to a tool's score in an agent loop if the transcript contains a call of the tool. Agents often
 * call the same tool several times. The value was set by hand, because no public data set contains agent loops.
 */
const calledGain = 4;

/**
 * Adds the state of the agent loop to a ranking. During an agent loop, the inner ranker's ranking of the turn
 * does not change. The inner ranker's cache can therefore be used in every step.
 */
export class LoopRanker implements ToolRanker {
  readonly #ranker: ToolRanker;

  constructor(ranker: ToolRanker) {
    this.#ranker = ranker;
  }

  rank(
    index: KeywordIndex,
    question: RankQuestion,
    options?: RankOptions,
  ): Promise<TurnRanking> | TurnRanking {
    const { turns, at, calledTools = [], recentResults = [] } = question;
    const ranking = this.#ranker.rank(index, { turns, at }, options);
    if (recentResults.length === 0 || calledTools.length === 0) return ranking;
    return ranking instanceof Promise
      ? ranking.then((made) => raiseCalled(index, made, calledTools))
      : raiseCalled(index, ranking, calledTools);
  }
}

/**
 * Returns the ranking with higher scores for the called tools. Keyword scores are log-odds, so the added value
 * is simply added to the scores. The scores of the `semantic` method are probabilities. Their odds are
 * multiplied, and all scores are then scaled to the sum 1.
 */
export function raiseCalled(
  index: KeywordIndex,
  ranking: TurnRanking,
  calledTools: readonly string[],
): TurnRanking {
  const called = new Set(calledTools.flatMap((name) => index.positionsByName.get(name) ?? []));
  if (called.size === 0) return ranking;
  const isSemantic = ranking.method === 'semantic';
  const raised = ranking.scores.map((score, position) => {
    if (!called.has(position)) return score;
    return isSemantic ? score * Math.exp(calledGain) : score + calledGain;
  });
  // The function adds the scores in ascending order, so that the order of the tools cannot change the result.
  const sum = isSemantic ? raised.toSorted().reduce((all, score) => all + score, 0) : 1;
  const scores = raised.map((score) => score / sum);
  const order = orderByScore(index, scores);
  const topScore = scores[order[0] ?? 0] ?? 0;
  return { ...ranking, scores, order, topScore, confidence: isSemantic ? topScore : ranking.confidence };
}
