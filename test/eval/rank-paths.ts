import { performance } from 'node:perf_hooks';
import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { indexToolList } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import type { SemanticPath } from './semantic-path.ts';
import { itemAt, type Question, type ToolData } from './tool-data.ts';

/**
 * `bm25_fielded`: fielded BM25 on the last user message only. `keyword`: the router's keyword method, with
 * gated context. `semantic`: its method with vectors and the second stage.
 */
export const pathNames = ['bm25_fielded', 'keyword', 'semantic'] as const;
export type PathName = (typeof pathNames)[number];

/** A question's candidates in the order of a method. */
export interface RankedPool {
  /** By candidate: larger is better. Log-odds for `semantic`, arbitrary scores for the others. */
  readonly scores: Float64Array;
  /** By gold: its rank from 0. The best of several alternatives. Infinity if it is not a candidate. */
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
