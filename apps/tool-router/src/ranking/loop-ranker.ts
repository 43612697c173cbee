import { listIdentifiers } from '@gateway/interchange';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { RankOptions, RankQuestion, ToolRanker, TurnRanking } from './ranker.port.ts';

/**
 * Log-odds added to the score of a tool in an agent loop if the transcript contains a call of the tool. Agents often
 * call the same tool several times. The log-odds were set by hand, because no public data set contains agent loops.
 */
const calledGain = 4;
/**
 * Log-odds added to a tool's score in an agent loop if a result since the last user turn contains the tool's name.
 * Errors and search results name the tools that should be called next. Like `calledGain`, `namedGain` was set by hand.
 */
const namedGain = 2;

/**
 * Adds the state of the agent loop to a ranking. The inner ranker's ranking of a turn stays the same during an agent
 * loop, so every step can read it from the cache.
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
    if (recentResults.length === 0) return ranking;
    const gains = measureGains(index, calledTools, recentResults);
    return ranking instanceof Promise
      ? ranking.then((made) => raise(index, made, gains))
      : raise(index, ranking, gains);
  }
}

/**
 * The log-odds to add, by tool position. A tool that was called and is also named in a result gets only the larger
 * gain. In results, only identifiers count as names, because short names (`read`) are often ordinary words.
 */
function measureGains(
  index: KeywordIndex,
  calledTools: readonly string[],
  recentResults: readonly string[],
): ReadonlyMap<number, number> {
  const gains = new Map<number, number>();
  const add = (name: string, gain: number): void => {
    for (const position of index.positionsByName.get(name) ?? []) gains.set(position, gain);
  };
  for (const result of recentResults) for (const name of listIdentifiers(result)) add(name, namedGain);
  for (const name of calledTools) add(name, calledGain);
  return gains;
}

/**
 * Raises the scores of a ranking. The gain is added to keyword scores, because keyword scores are log-odds. The
 * scores of the `semantic` method are probabilities, so the gain multiplies the odds. After a gain is applied, all
 * `semantic` scores are scaled to the sum 1.
 */
function raise(index: KeywordIndex, ranking: TurnRanking, gains: ReadonlyMap<number, number>): TurnRanking {
  if (gains.size === 0) return ranking;
  const isSemantic = ranking.method === 'semantic';
  const raised = ranking.scores.map((score, position) => {
    const gain = gains.get(position) ?? 0;
    return isSemantic ? score * Math.exp(gain) : score + gain;
  });
  // The scores are added in ascending order, so that the order of the tools cannot change the sum.
  const sum = isSemantic ? raised.toSorted().reduce((all, score) => all + score, 0) : 1;
  const scores = raised.map((score) => score / sum);
  const order = orderByScore(index, scores);
  const topScore = scores[order[0] ?? 0] ?? 0;
  return { ...ranking, scores, order, topScore, confidence: isSemantic ? topScore : ranking.confidence };
}
