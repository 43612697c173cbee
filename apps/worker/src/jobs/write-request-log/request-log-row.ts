import {
  tokensSaved,
  type CacheMissCause,
  type CacheMissDetail,
  type CandidateTuple,
  type ShippedRequestEventV1,
} from '@gateway/contracts';
import { parseRequestTimeMs } from '../../persistence/partitions.ts';
import { chooseBucket, findNeededK, renderNeeds, type StoredNeeds } from './needed-k.ts';

/** A row of the table `request_log`, with its columns as fields. */
export interface RequestLogRow {
  readonly id: string;
  /** The time at which the request was accepted, as RFC 3339 in UTC. */
  readonly created_at: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly session_id: string | null;
  readonly client_request_id: string | null;
  readonly trace_id: string | null;
  readonly endpoint: string;
  readonly format: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly requested_model: string | null;
  readonly stream: boolean;
  readonly status: ShippedRequestEventV1['status'];
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly provider_request_id: string | null;
  readonly lane: string | null;
  readonly tools_offered: number | null;
  readonly tools_in: number;
  readonly tools_out: number;
  readonly tools_pruned: number | null;
  readonly intent: string | null;
  readonly routing: string | null;
  readonly k: number | null;
  readonly k_reason: string | null;
  readonly policy_version: string | null;
  readonly plan_defect: string | null;
  readonly candidates: readonly CandidateTuple[] | null;
  readonly unlearned: NonNullable<ShippedRequestEventV1['plan']>['unlearned'] | null;
  readonly session_key: string | null;
  readonly tool_list: string | null;
  readonly bucket: string | null;
  readonly recovery: string | null;
  readonly needed_k: number | null;
  readonly needs: StoredNeeds | null;
  readonly called_tools: readonly string[];
  readonly recovered_tools: readonly string[];
  readonly denied_tools: readonly string[];
  readonly losses: ShippedRequestEventV1['losses'] | null;
  readonly compression_steps: readonly (readonly [step: string, tokensBefore: number, tokensAfter: number])[];
  readonly context: ShippedRequestEventV1['context'];
  readonly model_choice: ShippedRequestEventV1['modelChoice'];
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly conversation: string | null;
  readonly prompt: ShippedRequestEventV1['prompt'];
  readonly cache_miss_cause: CacheMissCause | null;
  readonly cache_miss_detail: CacheMissDetail | null;
  readonly cache_miss_tokens: number | null;
  readonly cache_miss_usd: number | null;
  readonly usage_estimated: boolean;
  readonly tool_tokens_saved: number | null;
  readonly estimated_tokens_saved: number;
  readonly compression_tokens_saved: number;
  readonly recovery_tokens: number;
  readonly recovery_tokens_deducted: number;
  readonly cost_usd: number | null;
  readonly provider_savings_usd: number | null;
  readonly gross_savings_usd: number | null;
  readonly ms_total: number;
  readonly ms_first_byte: number | null;
  readonly ms_overhead: number | null;
  readonly ms_auth: number | null;
  readonly ms_plan: number | null;
  readonly ms_upstream: number | null;
}

/** Renders the log row for an event. Throws `RangeError` if the event's id is not a UUIDv7. */
export function renderRequestLogRow(event: ShippedRequestEventV1): RequestLogRow {
  const timeMs = parseRequestTimeMs(event.requestId);
  if (timeMs === null) throw new RangeError('the request id is not a UUIDv7');
  return {
    id: event.requestId,
    created_at: new Date(timeMs).toISOString(),
    account_id: event.accountId,
    key_id: event.keyId,
    session_id: event.sessionId,
    client_request_id: event.clientRequestId,
    trace_id: event.traceId,
    ...renderCall(event),
    ...renderPlan(event),
    bucket: chooseBucket(event),
    needed_k: findNeededK(event),
    needs: renderNeeds(event),
    ...renderUsage(event),
    ...renderSavings(event),
    conversation: event.prompt?.conversation ?? null,
    prompt: event.prompt,
    ...noMiss,
    ms_total: event.ms.total,
    ms_first_byte: event.ms.firstByte,
    ms_overhead: event.ms.overhead,
    ms_auth: event.ms.auth,
    ms_plan: event.ms.plan,
    ms_upstream: event.ms.upstream,
  };
}

/**
 * Initial values of the cache miss fields of a log row. The function `addCacheMisses` later computes the
 * final values from a comparison with earlier requests of the conversation.
 */
const noMiss = {
  cache_miss_cause: null,
  cache_miss_detail: null,
  cache_miss_tokens: null,
  cache_miss_usd: null,
};

function renderCall(event: ShippedRequestEventV1) {
  return {
    endpoint: event.endpoint,
    format: event.format,
    provider: event.provider,
    model: event.model,
    requested_model: event.requestedModel,
    stream: event.stream,
    status: event.status,
    http_status: event.httpStatus,
    error_code: event.errorCode,
    error_message: event.errorMessage,
    provider_request_id: event.providerRequestId,
    model_choice: event.modelChoice,
    lane: event.lane,
    called_tools: event.calledTools,
    recovered_tools: event.recoveredTools,
    denied_tools: event.deniedTools,
  };
}

function renderPlan({ plan, toolsOffered, toolsIn, toolsOut, toolsPruned }: ShippedRequestEventV1) {
  return {
    tools_offered: toolsOffered,
    tools_in: toolsIn,
    tools_out: toolsOut,
    tools_pruned: toolsPruned,
    intent: plan?.intent ?? null,
    routing: plan?.method ?? null,
    k: plan?.k ?? null,
    k_reason: plan?.kReason ?? null,
    policy_version: plan?.policyVersion ?? null,
    plan_defect: plan?.defect ?? null,
    session_key: plan?.sessionKey ?? null,
    tool_list: plan?.toolList ?? null,
    recovery: plan?.recovery ?? null,
    candidates: plan?.candidates ?? null,
    unlearned: plan?.unlearned ?? null,
  };
}

function renderUsage({ usage, costUsd, providerSavingsUsd, grossSavingsUsd }: ShippedRequestEventV1) {
  return {
    prompt_tokens: usage?.inputTokens ?? null,
    completion_tokens: usage?.outputTokens ?? null,
    cached_tokens: usage?.cachedInputTokens ?? null,
    cache_write_tokens: usage?.cacheWriteTokens ?? null,
    usage_estimated: usage?.estimated ?? false,
    cost_usd: costUsd,
    provider_savings_usd: providerSavingsUsd,
    gross_savings_usd: grossSavingsUsd,
  };
}

function renderSavings(event: ShippedRequestEventV1) {
  const saved = tokensSaved(event);
  return {
    tool_tokens_saved: event.toolTokensSaved,
    estimated_tokens_saved: saved.tools,
    compression_tokens_saved: saved.compression,
    recovery_tokens: event.recoveryTokens,
    recovery_tokens_deducted: saved.recovery,
    context: event.context,
    losses: event.losses.length > 0 ? event.losses : null,
    compression_steps: event.compressionSteps.map(
      ({ step, tokensBefore, tokensAfter }) => [step, tokensBefore, tokensAfter] as const,
    ),
  };
}
