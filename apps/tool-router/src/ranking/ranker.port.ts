import type { RoutingMethod } from '@gateway/interchange';
import type { ToolListIndex } from './tool-list-index.ts';

/** How the tools of a list stand to one user turn. */
export interface TurnRanking {
  /** By position in the list; 0 or more, comparable within one ranking. */
  readonly scores: Float64Array;
  /** Positions, best first. Ties are broken by name and definition, so the client's order has no say. */
  readonly order: Uint32Array;
  /** The best score: for the keyword ranker, how many rare words of the turn its best tool has. */
  readonly topScore: number;
  /** Whether the turn has every word of the best tool's name. Of the signs that the right tool is near the top, the best one for lists whose tools share most words. */
  readonly namesTop: boolean;
}

/**
 * Ranks a list for a turn of a transcript. What comes later than turn `at` must not matter, or a session's set would
 * change under it. A ranking model takes this port's place.
 */
export interface ToolRanker {
  readonly method: RoutingMethod;
  rank(index: ToolListIndex, turns: readonly string[], at: number): Promise<TurnRanking> | TurnRanking;
}
