/** For each question in a set, the ranks of its needed tools, counted from 0. */
export type GoldRanks = readonly (readonly number[])[];

/**
 * Returns the smallest k at which, for 95% of the questions, the first k tools contain every needed tool.
 * Returns null if no such k exists.
 */
export function measureK95(questions: GoldRanks): number | null {
  const needed = questions.map((ranks) => Math.max(...ranks) + 1).sort((one, other) => one - other);
  const k = needed[Math.ceil(0.95 * needed.length) - 1] ?? Infinity;
  return Number.isFinite(k) ? k : null;
}

/**
 * The quality of a ranking, in fractions of 1. Recall is the mean share of needed tools that are among the
 * first k tools. `all` is the share of questions for which all needed tools are among the first k tools.
 */
export interface RankingFigures {
  readonly 'recall@1': number;
  readonly 'recall@3': number;
  readonly 'recall@5': number;
  readonly 'recall@8': number;
  readonly 'recall@10': number;
  readonly 'ndcg@5': number;
  readonly 'all@10': number;
}

const ndcgDepth = 5;

/**
 * Returns the ranking metrics for one question. The list `ranks` has the ranks of the question's needed
 * tools, counted from 0. A needed tool that is not a candidate has the rank Infinity.
 */
export function measureRanking(ranks: readonly number[]): RankingFigures {
  const recall = (k: number): number => ranks.filter((rank) => rank < k).length / ranks.length;
  return {
    'recall@1': recall(1),
    'recall@3': recall(3),
    'recall@5': recall(5),
    'recall@8': recall(8),
    'recall@10': recall(10),
    'ndcg@5': normalizedGain(ranks),
    'all@10': ranks.every((rank) => rank < 10) ? 1 : 0,
  };
}

/** Computes nDCG as in Järvelin & Kekäläinen 2002, with gains of 0 and 1. */
function normalizedGain(ranks: readonly number[]): number {
  const gain = (rank: number): number => (rank < ndcgDepth ? 1 / Math.log2(rank + 2) : 0);
  const ideal = ranks.slice(0, ndcgDepth).reduce((sum, _, rank) => sum + gain(rank), 0);
  return ranks.reduce((sum, rank) => sum + gain(rank), 0) / ideal;
}

/** Returns the mean of each metric, rounded to four decimal places. */
export function meanFigures(figures: readonly RankingFigures[]): RankingFigures {
  const mean = (key: keyof RankingFigures): number => {
    const sum = figures.reduce((total, each) => total + each[key], 0);
    return Math.round((sum / Math.max(1, figures.length)) * 10_000) / 10_000;
  };
  return {
    'recall@1': mean('recall@1'),
    'recall@3': mean('recall@3'),
    'recall@5': mean('recall@5'),
    'recall@8': mean('recall@8'),
    'recall@10': mean('recall@10'),
    'ndcg@5': mean('ndcg@5'),
    'all@10': mean('all@10'),
  };
}
