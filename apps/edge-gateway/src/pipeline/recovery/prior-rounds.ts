import type { TokenUsage } from '@gateway/interchange';
import type { UpstreamAnswer } from '../../upstream/upstream.port.ts';

/** The state that is passed from one recovery round to the next. */
export interface PriorRounds {
  /** Number of recovery rounds before the current round. */
  readonly round: number;
  /** Number of content blocks that the client has received. */
  readonly blocks: number;
  /** Whether the client has received any text. */
  readonly hasText: boolean;
  /** Whether the client has received any reasoning. */
  readonly hasReasoning: boolean;
  readonly corrected: ReadonlySet<string>;
  /** Token usage that the provider reported, with one entry per recovery round. */
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
 * Recovery rounds of an attempt that sent nothing to the client. The account pays for the recovery rounds, although
 * the client received nothing.
 */
export interface EarlierRounds {
  readonly usages: readonly TokenUsage[];
  readonly isUsageEstimated: boolean;
  /**
   * The data that a fresh start needs. In a fresh start, the gateway sends the client's own request with every
   * tool. No other recovery round follows a fresh start.
   */
  readonly freshStart?: { readonly count: number; readonly recovered: readonly string[] };
}

/**
 * The next step after a recovery round. With `complete`, the response to the client is complete. With `round`,
 * another provider response (`answer`) continues the same response to the client. With `fresh-start`, the client
 * has received no bytes, and the gateway sends the client's own request with every tool.
 */
export type Continuation =
  | { readonly kind: 'complete' }
  | { readonly kind: 'round'; readonly answer: UpstreamAnswer }
  | { readonly kind: 'fresh-start' };
