import type { RequestEventV1 } from './events/request-event.v1.ts';

/** Conservative estimate of the tokens saved by one pruned tool. */
const tokensPerTool = 100;

/** Tokens saved by a request, by cause, as in its log entry. */
export interface TokensSaved {
  /** Saved by pruning tools. */
  readonly tools: number;
  /** Saved by compression. */
  readonly compression: number;
}

/**
 * Tokens that a plan saves if the request succeeds. `toolsIn` is counted after applying the allow and deny
 * lists.
 */
export function plannedSavings(
  planned: Pick<RequestEventV1, 'toolsIn' | 'toolsOut' | 'compressionSteps'>,
): TokensSaved {
  const compression = planned.compressionSteps.reduce(
    (sum, { tokensBefore, tokensAfter }) => sum + Math.max(0, tokensBefore - tokensAfter),
    0,
  );
  return { tools: Math.max(0, planned.toolsIn - planned.toolsOut) * tokensPerTool, compression };
}

/**
 * Tokens saved by a request, for both the log and budgets. Requests that failed, or were cancelled before a
 * response was read, saved nothing.
 */
export function tokensSaved(
  event: Pick<RequestEventV1, 'status' | 'usage' | 'toolsIn' | 'toolsOut' | 'compressionSteps'>,
): TokensSaved {
  const served = event.status !== 'error' && event.status !== 'interrupted' && event.usage !== null;
  return served ? plannedSavings(event) : { tools: 0, compression: 0 };
}
