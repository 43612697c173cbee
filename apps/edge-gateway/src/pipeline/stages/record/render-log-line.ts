import type { RequestEventV1 } from '@gateway/contracts';
import type { Caller } from '../../caller.ts';
import type { Exchange, Ledger } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';

/** The one wide line of a request. Names and figures alone: no body, no header values, no tool arguments. */
export function renderLogLine(
  exchange: Exchange,
  caller: Caller | null,
  outcome: RelayOutcome,
  totalMs: number,
  event: RequestEventV1 | null,
): Record<string, unknown> {
  const { ledger } = exchange;
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
    ...renderChoice(exchange),
    provider: ledger.provider ?? undefined,
    model: ledger.model ?? undefined,
    stream: ledger.stream,
    lane: ledger.lane ?? undefined,
    upstream_calls: exchange.tries.calls > 1 ? exchange.tries.calls : undefined,
    abandoned_calls: exchange.tries.abandoned.length || undefined,
    fallbacks_skipped: renderSkipped(exchange),
    ...renderTools(ledger),
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

function renderTools({
  toolsIn,
  toolsOut,
  plan,
  hiddenRounds,
  recoveredTools,
  invalidCalls,
}: Ledger): Record<string, unknown> {
  return {
    tools_in: toolsIn,
    tools_out: toolsOut,
    k_reason: plan?.kReason,
    tools_worth_saved: plan?.worth?.saved,
    tools_worth_spent: plan?.worth?.spent,
    hidden_rounds: hiddenRounds || undefined,
    recovered_tools: recoveredTools.length || undefined,
    invalid_calls: invalidCalls || undefined,
    plan_defect: plan?.defect ?? undefined,
  };
}

/** `openai/gpt-4: no_images`, of each fallback that could not have served the request. */
function renderSkipped({ tries: { skipped } }: Exchange): readonly string[] | undefined {
  return skipped.length === 0 ? undefined : skipped.map(({ id, rule }) => `${id}: ${rule}`);
}

/** Of a request that left its model to the gateway. */
function renderChoice({ modelChoice }: Exchange): Record<string, unknown> {
  return modelChoice === undefined
    ? {}
    : { requested_model: `svc/${modelChoice.mode}`, model_reason: modelChoice.reason };
}
