import type { TokenUsage } from '@gateway/interchange';
import type { UpstreamAnswer } from '../../upstream/upstream.port.ts';

/** The state that carries over from one recovery round to the next. */
export interface PriorRounds {
  /** Number of rounds before the current recovery round. */
  readonly round: number;
  /** Number of content blocks that the client has seen. */
  readonly blocks: number;
  /** Whether the client has seen any text. */
  readonly hasText: boolean;
  /** Whether the client has seen any reasoning. */
  readonly hasReasoning: boolean;
  readonly corrected: ReadonlySet<string>;
  /** Token usage as the provider reported it, one entry per recovery round. */
  readonly usages: readonly TokenUsage[];
}

export const noPriorRounds: PriorRounds = {
  round: 0,
  blocks: 0,
  hasText: false,
  hasReasoning: false,
  corrected: new Set(),
  usages: [],
};

/**
 * Recovery rounds of an attempt that sent nothing to the client. The earlier recovery rounds are billed
 * although the client received nothing.
 */
export interface EarlierRounds {
  readonly usages: readonly TokenUsage[];
  readonly isUsageEstimated: boolean;
  /**
   * The data of a fresh start, present only after a fresh start. The request of a fresh start has every tool,
   * and no other recovery round follows.
   */
  readonly freshStart?: { readonly count: number; readonly recovered: readonly string[] };
}

/**
 * The next step after a recovery round. `complete`: the response is complete, and `rest` has the remaining
 * events. `round`: another provider response follows for the same client response. `fresh-start`: the client
 * has received nothing yet, and its own request is sent with every tool, as if no tool had been pruned.
 */
export type Continuation =
  | { readonly kind: 'complete' }
  | { readonly kind: 'round'; readonly answer: UpstreamAnswer }
  | { readonly kind: 'fresh-start' };
