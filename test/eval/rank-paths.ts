import { performance } from 'node:perf_hooks';
import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { indexToolList } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import type { SemanticPath } from './semantic-path.ts';
import { itemAt, type Question, type ToolData } from './tool-data.ts';

/**
 * `bm25_fielded`: fielded BM25 on the last user message only. `keyword`: the router's keyword method, with
 * gated context. `semantic`: the router's method with vectors and the second stage.
 */
export const pathNames = ['bm25_fielded', 'keyword', 'semantic'] as const;
export type PathName = (typeof pathNames)[number];

/** The candidates for a question, in the order that a method ranks them. */
export interface RankedPool {
  /**
   * The score of each candidate, where larger is better. Scores are log-odds for `semantic`, and arbitrary
   * for the other methods.
   */
  readonly scores: Float64Array;
  /**
   * The rank of each gold, counted from 0. The best rank counts if there are several alternatives, and
   * Infinity if the gold is not a candidate.
   */
  readonly goldRanks: readonly number[];
  readonly goldPlaces: readonly (readonly number[])[];
  readonly tookMs: number;
}

export async function rankByPath(
  path: PathName,
  data: ToolData,
  semantic: SemanticPath,
  question: Question,
  lines: readonly number[],
): Promise<RankedPool> {
  const startedAt = performance.now();
  const { scores, order } =
    path === 'semantic'
      ? await semantic.rank(question, lines)
      : rankByWords(data, question, lines, path === 'keyword');
  const tookMs = performance.now() - startedAt;
  const rankOf = new Map(Array.from(order, (position, rank) => [position, rank]));
  const goldPlaces = question.golds.map((alternatives) =>
    alternatives.map((line) => lines.indexOf(line)).filter((place) => place >= 0),
  );
  const goldRanks = goldPlaces.map((places) =>
    Math.min(...places.map((place) => rankOf.get(place) ?? Infinity)),
  );
  return { scores, goldRanks, goldPlaces, tookMs };
}

function rankByWords(
  data: ToolData,
  { userTurns }: Question,
  lines: readonly number[],
  withContext: boolean,
): { scores: Float64Array; order: Uint32Array } {
  const index = indexToolList(
    '',
    lines.map((line) => itemAt(data.cards, line)),
  );
  const turns = withContext ? userTurns : userTurns.slice(-1);
  return keywordRanker.rank(index, { turns, at: turns.length - 1 });
}
