import { performance } from 'node:perf_hooks';
import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import type { SemanticPath } from './semantic-path.ts';
import { askedBy, askedFirst, openServed } from './served-ranking.ts';
import type { Question, ToolData } from './tool-data.ts';

/**
 * The ranking methods. `bm25_fielded` is fielded BM25 on the last user message only. `keyword` and `semantic` are
 * the router's two ranking methods, applied to the planner's question. `first_encoder` is the semantic method
 * without the second encoder, as in the first conversations with a new tool list. `first_turn` is the semantic
 * method on the conversation's first turn, which determines the tool set. All methods rank the same needed tools.
 */
export const pathNames = ['bm25_fielded', 'keyword', 'first_encoder', 'semantic', 'first_turn'] as const;
export type PathName = (typeof pathNames)[number];

/** The candidate tools for a question, in the order of a ranking method. */
export interface RankedPool {
  /**
   * The scores of the candidate tools. A larger score is better. The semantic method's scores are log-odds, and
   * the other methods' scores have arbitrary units.
   */
  readonly scores: Float64Array;
  /**
   * The rank of each needed tool, counted from 0. For a needed tool with alternatives, the rank is the best
   * rank of any alternative. A needed tool that is not a candidate has the rank Infinity.
   */
  readonly goldRanks: readonly number[];
  readonly goldPlaces: readonly (readonly number[])[];
  /** The evidence for the best tool (see `TurnRanking.evidence`). */
  readonly evidence: number;
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
  const { method, scores, order, evidence } = await rank(path, data, semantic, question, lines);
  const tookMs = performance.now() - startedAt;
  const rankOf = new Map(Array.from(order, (position, rank) => [position, rank]));
  const goldPlaces = question.golds.map((alternatives) =>
    alternatives.map((line) => lines.indexOf(line)).filter((place) => place >= 0),
  );
  const goldRanks = goldPlaces.map((places) =>
    Math.min(...places.map((place) => rankOf.get(place) ?? Infinity)),
  );
  const logits = method === 'semantic' ? scores.map((share) => Math.log(share)) : scores;
  return { scores: logits, goldRanks, goldPlaces, evidence, tookMs };
}

function rank(
  path: PathName,
  data: ToolData,
  semantic: SemanticPath,
  question: Question,
  lines: readonly number[],
): Promise<TurnRanking> {
  const { dataset, userTurns } = question;
  const isByWords = path === 'bm25_fielded' || path === 'keyword';
  const encoders = path === 'first_encoder' ? 'first' : 'both';
  const served = openServed(data, isByWords ? undefined : { path: semantic, encoders }, dataset, lines);
  if (path === 'first_turn') return served(askedFirst(question));
  return served(path === 'bm25_fielded' ? { turns: userTurns.slice(-1), at: 0 } : askedBy(question));
}
