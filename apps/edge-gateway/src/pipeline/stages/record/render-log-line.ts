import type { RequestEventV1 } from '@gateway/contracts';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';

interface FinishedRequest {
  readonly exchange: Pick<
    Exchange,
    'requestId' | 'trace' | 'endpoint' | 'ledger' | 'tries' | 'modelChoice' | 'contextPrice'
  >;
  readonly caller: Pick<Caller, 'accountId' | 'keyId'> | null;
  readonly outcome: Pick<RelayOutcome, 'status' | 'httpStatus' | 'errorCode' | 'errorDetail'>;
  readonly totalMs: number;
  readonly event: Pick<RequestEventV1, 'usage' | 'costUsd' | 'ms'> | null;
}

/**
 * The one wide line of a request. Names and figures alone: no body, no header values, no tool arguments. One literal,
 * since spreading others into it costs several times as much to make and to write.
 */
export function renderLogLine({ exchange, caller, outcome, totalMs, event }: FinishedRequest) {
  const { ledger, tries, modelChoice } = exchange;
  return {
    request_id: exchange.requestId,
    trace_id: exchange.trace.traceId,
    account_id: caller?.accountId,
    key_id: caller?.keyId,
    endpoint: exchange.endpoint,
    status: outcome.status,
    http_status: outcome.httpStatus,
    error_code: outcome.errorCode ?? undefined,
    error_detail: outcome.errorDetail ?? undefined,
    requested_model: modelChoice && `svc/${modelChoice.mode}`,
    model_reason: modelChoice?.reason,
    provider: ledger.provider ?? undefined,
    model: ledger.model ?? undefined,
    stream: ledger.stream,
    lane: ledger.lane ?? undefined,
    upstream_calls: tries.calls > 1 ? tries.calls : undefined,
    abandoned_calls: tries.abandoned.length || undefined,
    fallbacks_skipped: renderSkipped(tries),
    tools_in: ledger.toolsIn,
    tools_out: ledger.toolsOut,
    k_reason: ledger.plan?.kReason,
    tools_worth_saved: ledger.plan?.worth?.saved,
    tools_worth_spent: ledger.plan?.worth?.spent,
    hidden_rounds: ledger.recoveryRounds || undefined,
    recovered_tools: ledger.recoveredTools.length || undefined,
    invalid_calls: ledger.invalidCalls || undefined,
    plan_defect: ledger.plan?.defect ?? undefined,
    ctx_decision: ledger.context?.decision,
    ctx_tokens_saved: ledger.context === null ? undefined : exchange.contextPrice?.tokensSaved,
    ctx_saved_usd: ledger.context?.savedUsd ?? undefined,
    ctx_rewritten_usd: ledger.context?.rewrittenUsd ?? undefined,
    input_tokens: event?.usage?.inputTokens,
    output_tokens: event?.usage?.outputTokens,
    cost_usd: event?.costUsd ?? undefined,
    ms: event?.ms ?? { total: totalMs },
  };
}

/** `openai/gpt-4: no_images`, of each fallback that could not have served the request. */
function renderSkipped({ skipped }: Exchange['tries']): readonly string[] | undefined {
  return skipped.length === 0 ? undefined : skipped.map(({ id, rule }) => `${id}: ${rule}`);
}
