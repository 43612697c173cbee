import type { RequestEventV1 } from './events/request-event.v1.ts';

/** What a tool that was not forwarded is taken to save: conservative on purpose (decisions.md, "Records"). */
const tokensPerTool = 100;

/** Tokens that a request did not cost, by what saved them: the two figures of its log row. */
export interface TokensSaved {
  /** Tools that were not forwarded. */
  readonly tools: number;
  /** What was sent in fewer tokens. */
  readonly compression: number;
}

/** What a plan saves once it is served. `toolsIn` counts after allow and deny lists. */
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
 * What a request saved: the one place that says so, for the log and for budgets alike. What the provider did not serve
 * was not saved either, so a request that failed, or that its client gave up before an answer was read, saved nothing.
 */
export function tokensSaved(
  event: Pick<RequestEventV1, 'status' | 'usage' | 'toolsIn' | 'toolsOut' | 'compressionSteps'>,
): TokensSaved {
  const served = event.status !== 'error' && event.status !== 'interrupted' && event.usage !== null;
  return served ? plannedSavings(event) : { tools: 0, compression: 0 };
}
