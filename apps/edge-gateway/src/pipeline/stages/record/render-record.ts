import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import type { TokenUsage } from '@gateway/interchange';
import type { CatalogModel, ModelCatalog } from '@gateway/model-catalog';
import { costUsd } from '@gateway/model-catalog';
import type { Caller } from '../../../request/request.ts';
import { charactersPerToken } from '../../../request/token-estimates.ts';
import { countSentBytes } from '../../exchange/attempt.ts';
import { findServed, type Exchange, type Served } from '../../exchange/exchange.ts';
import { renderModelChoice } from '../../../request/model-choice.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import { addAbandonedCost, addAbandonedTokens } from './price-request.ts';

/** Maximum number of losses in a request's log row. */
const lossesMax = 64;

/** Maximum length of client-supplied text in the log, in characters. */
const clientTextMax = 256;

/** Renders the accept line, which is written to the spool before the request is forwarded. */
export function renderAccepted(exchange: Exchange, caller: Caller): RequestAcceptedV1 {
  const { headers } = exchange.request;
  return {
    v: 1,
    requestId: exchange.requestId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    acceptedAt: exchange.acceptedAt.toISOString(),
    endpoint: exchange.endpoint,
    format: exchange.format,
    sessionId: exchange.sessionId ?? exchange.ledger.agentSessionId,
    clientRequestId: clientText(headers['x-request-id'] ?? headers['x-client-request-id']),
    traceId: exchange.trace.traceId,
  };
}

function clientText(value: string | string[] | undefined): string | null {
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text === '' ? null : text.slice(0, clientTextMax);
}

/**
 * Renders the final usage event of an accepted request from the records of the stages. The savings (`addSavings`)
 * are not included. The code lists the fields one by one, because spreading a second object costs more than the
 * rest of the function.
 */
export function renderEvent(
  exchange: Exchange,
  accepted: RequestAcceptedV1,
  outcome: RelayOutcome,
  totalMs: number,
  catalog: ModelCatalog,
): RequestEventV1 {
  const served = findServed(exchange);
  const billed = usageOf(exchange, outcome);
  return {
    ...accepted,
    sessionId: accepted.sessionId ?? exchange.ledger.agentSessionId,
    requestedModel: exchange.ledger.requestedModel,
    model: served.model,
    provider: served.provider,
    stream: exchange.ledger.stream,
    lane: served.lane,
    ...renderTools(exchange, outcome),
    compressionSteps: exchange.ledger.compressionSteps,
    context: exchange.ledger.context,
    losses: served.losses.slice(0, lossesMax),
    recoveredTools: listRecovered(exchange, outcome),
    hiddenRounds: exchange.ledger.recoveryRounds,
    recoveryTokens: countRecoveryTokens(exchange),
    ...renderOutcome(outcome),
    calledTools: listCalled(exchange, outcome),
    deniedTools: [...exchange.ledger.deniedTools],
    modelChoice: exchange.modelChoice === undefined ? null : renderModelChoice(exchange.modelChoice),
    usage: billed && addAbandonedTokens(billed, exchange.attempts),
    costUsd: billed && sumAllCosts(exchange, served, billed, catalog),
    providerSavingsUsd: null,
    grossSavingsUsd: null,
    ms: renderTimings(exchange, totalMs),
    prompt: null,
    plan: addNeeds(exchange, outcome),
  };
}

function renderOutcome({ status, httpStatus, errorCode, errorMessage, providerRequestId }: RelayOutcome) {
  return {
    status,
    httpStatus,
    errorCode,
    errorMessage: errorMessage?.slice(0, 1000) ?? null,
    providerRequestId: providerRequestId?.slice(0, clientTextMax) ?? null,
  };
}

function renderTools(exchange: Exchange, outcome: RelayOutcome) {
  const { toolsOffered, toolsIn, toolsOut, toolsPruned, offeredTools } = exchange.ledger;
  return {
    toolsOffered,
    toolsIn,
    toolsOut: toolsOut + listFound(exchange, outcome).length,
    toolsPruned,
    toolTokensSaved: null,
    offeredTools: [...offeredTools],
  };
}

/** Lists the tool calls that the client received. */
function listCalled({ ledger }: Exchange, { summary }: RelayOutcome): string[] {
  const called = (summary?.toolCalls ?? []).map(({ name }) => name.slice(0, clientTextMax));
  return ledger.deniedTools.length === 0
    ? called
    : called.filter((name) => !ledger.deniedTools.includes(name));
}

/** Adds called tools to a shadow conversation's plan, each with the smallest K at which it would be forwarded. */
function addNeeds(exchange: Exchange, outcome: RelayOutcome): RequestEventV1['plan'] {
  const { plan, heldFromK } = exchange.ledger;
  if (plan === null || heldFromK === undefined) return plan;
  const planned = new Set(plan.candidates.flatMap(({ name, forwarded }) => (forwarded ? [name] : [])));
  const needs = [...new Set(listCalled(exchange, outcome))].flatMap((tool) => {
    const held = heldFromK.get(tool);
    return held === undefined ? [] : [{ tool, ...held, isPlanned: planned.has(tool) }];
  });
  return { ...plan, needs };
}

/**
 * Lists the tools that the model reached through the recovery tool or through the provider's own tool search.
 */
function listRecovered(exchange: Exchange, outcome: RelayOutcome): string[] {
  const { recoveredTools } = exchange.ledger;
  const found = listFound(exchange, outcome);
  return found.length === 0 ? recoveredTools : [...new Set([...recoveredTools, ...found])];
}

/** Lists the deferred tools that the model found through search and called. */
function listFound({ deferredTools }: Exchange, { summary }: RelayOutcome): string[] {
  if (deferredTools === undefined) return [];
  const called = new Set((summary?.toolCalls ?? []).map(({ name }) => name));
  return [...called].filter((name) => deferredTools.has(name));
}

/** Counts the tokens of all recovery rounds except the round that produced the response. */
function countRecoveryTokens({ rounds, ledger }: Exchange): number {
  if (rounds === undefined || ledger.recoveryRounds === 0) return 0;
  const hidden = rounds.usages.slice(0, -1);
  return hidden.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
}

/**
 * Returns the billed usage, or an estimate from lengths if a response reports no usage. Returns null if there
 * is no response.
 */
function usageOf(exchange: Exchange, { status, summary }: RelayOutcome): RequestEventV1['usage'] {
  if (summary?.usage) {
    const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = summary.usage;
    const estimated = exchange.rounds?.isUsageEstimated ?? false;
    return { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, estimated };
  }
  if (summary === null || status === 'error') return null;
  return {
    inputTokens: Math.ceil(countSentBytes(exchange.attempts) / charactersPerToken),
    outputTokens: Math.ceil(summary.textCharacters / charactersPerToken),
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    estimated: true,
  };
}

/** Adds the cost of cancelled parallel calls to the cost of the recovery rounds. */
function sumAllCosts(
  exchange: Exchange,
  served: Served,
  usage: NonNullable<RequestEventV1['usage']>,
  catalog: ModelCatalog,
): number | null {
  const cost = sumCosts(exchange, served, usage, catalog);
  return addAbandonedCost(cost, exchange.attempts, catalog, exchange.acceptedAt.getTime());
}

/**
 * Prices each recovery round separately, because a price may depend on the input length of a single call.
 * All recovery rounds use the prices from the time at which the request was accepted.
 */
function sumCosts(
  { rounds, acceptedAt }: Exchange,
  served: Served,
  usage: NonNullable<RequestEventV1['usage']>,
  catalog: ModelCatalog,
): number | null {
  const usages = rounds?.usages ?? [];
  const at = acceptedAt.getTime();
  if (usages.length < 2) return costOf(served, usage, catalog, at);
  const costs = usages.map((one) => costOf(served, one, catalog, at));
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost));
}

function costOf(served: Served, usage: TokenUsage, catalog: ModelCatalog, at: number): number | null {
  const model = findModel(served, catalog);
  return model ? costUsd(model, usage, at) : null;
}

export function findModel(
  { provider, model }: Pick<Served, 'provider' | 'model'>,
  catalog: ModelCatalog,
): CatalogModel | undefined {
  return provider !== null && model !== null ? catalog.find(provider, model) : undefined;
}

function renderTimings({ timings, attempts }: Exchange, totalMs: number): RequestEventV1['ms'] {
  return {
    total: round(totalMs),
    firstByte: between(timings.startedAt, timings.firstByteAt),
    overhead: between(timings.startedAt, timings.forwardedAt),
    auth: between(timings.startedAt, timings.authenticatedAt),
    plan: between(timings.planStartedAt, timings.planEndedAt),
    upstream: between(attempts.current?.sentAt, attempts.current?.headersAt),
  };
}

function between(from: number | undefined, to: number | undefined): number | null {
  return from === undefined || to === undefined ? null : round(to - from);
}

/** Rounds a time to microseconds, the resolution of the clock. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

interface FinishedRequest {
  readonly exchange: Pick<
    Exchange,
    'requestId' | 'trace' | 'endpoint' | 'ledger' | 'attempts' | 'modelChoice' | 'contextPrice'
  >;
  readonly caller: Pick<Caller, 'accountId' | 'keyId'> | null;
  readonly outcome: Pick<RelayOutcome, 'status' | 'httpStatus' | 'errorCode' | 'errorDetail' | 'summary'>;
  readonly totalMs: number;
  /** The usage event of the request. Null if the request was not accepted or no provider was chosen. */
  readonly event: Pick<
    RequestEventV1,
    'provider' | 'model' | 'lane' | 'usage' | 'toolsOut' | 'costUsd' | 'ms'
  > | null;
}

/**
 * Renders the single log line with all fields of a request. The log line contains only names and numbers, and
 * never a body, header values or tool arguments. The code builds the line as one object literal, because
 * spreading other objects costs several times as much.
 */
export const renderLogLine = ({ exchange, caller, outcome, totalMs, event }: FinishedRequest) => ({
  request_id: exchange.requestId,
  trace_id: exchange.trace.traceId,
  account_id: caller?.accountId,
  key_id: caller?.keyId,
  endpoint: exchange.endpoint,
  status: outcome.status,
  http_status: outcome.httpStatus,
  error_code: outcome.errorCode ?? undefined,
  error_detail: outcome.errorDetail ?? undefined,
  requested_model: exchange.modelChoice && `svc/${exchange.modelChoice.mode}`,
  model_reason: exchange.modelChoice?.reason,
  provider: event?.provider ?? undefined,
  model: event?.model ?? undefined,
  stream: exchange.ledger.stream,
  lane: event?.lane ?? undefined,
  upstream_calls: exchange.attempts.calls > 1 ? exchange.attempts.calls : undefined,
  abandoned_calls: exchange.attempts.abandoned.length || undefined,
  fallbacks_skipped: renderSkipped(exchange.attempts),
  tools_in: exchange.ledger.toolsIn,
  tools_out: event?.toolsOut ?? exchange.ledger.toolsOut,
  k_reason: exchange.ledger.plan?.kReason,
  tools_worth_saved: exchange.ledger.plan?.worth?.saved,
  tools_worth_spent: exchange.ledger.plan?.worth?.spent,
  hidden_rounds: exchange.ledger.recoveryRounds || undefined,
  recovered_tools: exchange.ledger.recoveredTools.length || undefined,
  denied_tools: exchange.ledger.deniedTools.length || undefined,
  invalid_calls: exchange.ledger.invalidCalls || undefined,
  input_transformations: renderTransformations(outcome),
  plan_defect: exchange.ledger.plan?.defect ?? undefined,
  ctx_decision: exchange.ledger.context?.decision,
  ctx_tokens_saved: exchange.ledger.context === null ? undefined : exchange.contextPrice?.tokensSaved,
  ctx_saved_usd: exchange.ledger.context?.savedUsd ?? undefined,
  ctx_rewritten_usd: exchange.ledger.context?.rewrittenUsd ?? undefined,
  input_tokens: event?.usage?.inputTokens,
  output_tokens: event?.usage?.outputTokens,
  cost_usd: event?.costUsd ?? undefined,
  ms: event?.ms ?? { total: totalMs },
});

/** Returns counts by type and reason, for example `{ "thinking_dropped:prefix_binding_mismatch": 2 }`. */
function renderTransformations({
  summary,
}: Pick<RelayOutcome, 'summary'>): Readonly<Record<string, number>> | undefined {
  const counts = summary?.inputTransformations;
  return counts === undefined || counts.size === 0 ? undefined : Object.fromEntries(counts);
}

/** Lists each fallback that could not serve the request, for example `openai/gpt-4: no_images`. */
function renderSkipped({ skipped }: Exchange['attempts']): readonly string[] | undefined {
  return skipped.length === 0 ? undefined : skipped.map(({ id, rule }) => `${id}: ${rule}`);
}
