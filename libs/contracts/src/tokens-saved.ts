import type { RequestEventV1 } from './events/request-event.v1.ts';

/**
 * The billing unit. For each tool definition that is not sent to the model, this number of tokens counts as
 * saved.
 */
const tokensPerTool = 100;

/**
 * Tokens saved by a request. The request log, the ledger, the usage figures and the budgets all use the
 * counts in `TokensSaved`.
 */
export interface TokensSaved {
  /** Tokens saved by pruning tools, in the billing unit. The formula is (`toolsIn` − `toolsOut`) × 100. */
  readonly tools: number;
  /** Estimated tokens saved by compression. */
  readonly compression: number;
  /**
   * Tokens used by recovery rounds, capped at the sum of `tools` and `compression`. Tokens used by recovery
   * rounds reduce the savings.
   */
  readonly recovery: number;
  /**
   * The net savings, `tools` + `compression` − `recovery`, for credits, budgets and the ledger. The net
   * savings are never negative.
   */
  readonly net: number;
}

type Planned = Pick<RequestEventV1, 'toolsIn' | 'toolsOut' | 'compressionSteps'>;
type Ended = Planned & Pick<RequestEventV1, 'status' | 'usage' | 'recoveryTokens'>;

const nothingSaved: TokensSaved = { tools: 0, compression: 0, recovery: 0, net: 0 };

/**
 * Tokens that a plan saves if the request succeeds without recovery rounds. `toolsIn` is the number of tools
 * that remain after the allow and deny lists are applied. `toolsOut` includes every tool definition that is
 * sent to the model, including the definition of the recovery tool.
 */
export function plannedSavings(planned: Planned): TokensSaved {
  return addUp(planned, 0);
}

/**
 * Tokens saved by a request. Requests that failed or were cancelled before a response was read saved no
 * tokens.
 */
export function tokensSaved(event: Ended): TokensSaved {
  return isServed(event) ? addUp(event, event.recoveryTokens) : nothingSaved;
}

/** Whether a model processed the request. Savings are counted only if a model processed the request. */
export function isServed({ status, usage }: Pick<RequestEventV1, 'status' | 'usage'>): boolean {
  return status !== 'error' && status !== 'interrupted' && usage !== null;
}

function addUp({ toolsIn, toolsOut, compressionSteps }: Planned, recoveryTokens: number): TokensSaved {
  const tools = Math.max(0, toolsIn - toolsOut) * tokensPerTool;
  const compression = compressionSteps.reduce(
    (sum, { tokensBefore, tokensAfter }) => sum + Math.max(0, tokensBefore - tokensAfter),
    0,
  );
  const recovery = Math.min(recoveryTokens, tools + compression);
  return { tools, compression, recovery, net: tools + compression - recovery };
}
