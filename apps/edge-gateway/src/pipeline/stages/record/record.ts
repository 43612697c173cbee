import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import { tokensSaved } from '@gateway/contracts';
import type { Attributes, LineLog } from '@gateway/observability';
import { genAi, recordFailure, redactAttributes } from '@gateway/observability';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { ResponseSummary } from '@gateway/interchange';
import type { OpenRequest, OpenRequests } from '../../../grants/open-requests.ts';
import type { EdgeMetrics } from '../../../metrics/edge-metrics.ts';
import type { RequestSpool } from '../../../spool/request-spool.ts';
import type { AccountSecrets } from '../../../connections/account-secrets.ts';
import type { ModelRouter } from '../../../routing/model-router.ts';
import type { TokenRatios } from '../../../request/token-ratios.ts';
import type { Caller } from '../../../request/request.ts';
import { countSentBytes } from '../../exchange/attempt.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ContentCopy } from '../../contents/content-copy.ts';
import type { ContentKeeper } from '../../contents/content-keeper.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import { noteAnswer } from './note-answer.ts';
import { addPrompt } from './add-prompt.ts';
import { addSavings } from './add-savings.ts';
import type { PromptHasher } from './prompt-hasher.ts';
import { renderAccepted, renderEvent, renderLogLine } from './render-record.ts';

interface RecordServices {
  readonly spool: RequestSpool;
  readonly contents: Pick<ContentKeeper, 'keep'>;
  readonly accountSecrets: AccountSecrets;
  readonly openRequests: OpenRequests;
  readonly catalog: ModelCatalog;
  readonly metrics: EdgeMetrics;
  readonly tokenRatios: TokenRatios;
  readonly modelRouter: Pick<ModelRouter, 'noteAnswer'>;
  readonly promptHasher: PromptHasher;
  readonly requestLog: LineLog;
}

/** Records one request in the request log. Callers call `accept` at most once, and `finish` exactly once. */
interface Recording {
  /**
   * Starts to write the line that records the acceptance of the request. The write runs in parallel with parsing
   * and planning.
   */
  accept(caller: Caller): void;
  /** Waits until the accept line is on disk. Throws `service_unavailable` if the spool is full. */
  accepted(): Promise<void>;
  /** Writes the request's single final event, its metrics and its log line. The method never throws. */
  finish(outcome: RelayOutcome): void;
}

/**
 * Opens the recording of a request. A request that fails before it is accepted (no API key, rate limit
 * exceeded) gets only metrics and a log line.
 */
export function record(exchange: Exchange, services: RecordServices): Recording {
  let caller: Caller | null = null;
  let accepted: RequestAcceptedV1 | null = null;
  let accepting: Promise<void> = Promise.resolve();
  let open: OpenRequest | null = null;
  services.metrics.inFlight.inc();
  return {
    accept(acceptedCaller) {
      caller = acceptedCaller;
      open = services.openRequests.add(exchange.abort, acceptedCaller);
      if (acceptedCaller.contentLogging) exchange.contents = new ContentCopy(exchange);
      accepted = renderAccepted(exchange, acceptedCaller);
      accepting = services.spool.accept(accepted);
      // A rejected promise is handled later, in `accepted` or `finish`.
      // The empty handler prevents an unhandled rejection before the promise is awaited.
      accepting.catch(() => undefined);
    },
    accepted: () => accepting,
    finish(outcome) {
      const totalMs = performance.now() - exchange.timings.startedAt;
      services.metrics.inFlight.dec();
      if (open !== null) services.openRequests.remove(open);
      endProviderCall(exchange, outcome);
      const finished = accepted ? renderEvent(exchange, accepted, outcome, totalMs, services.catalog) : null;
      settleBudget(exchange, finished);
      countRequest(exchange, outcome, services.metrics);
      countCall(finished, services.metrics);
      exchange.ledger.invalidCalls = countInvalidCalls(exchange, outcome, services.metrics);
      countTransformations(outcome, services.metrics);
      noteBilled(exchange, finished, services.tokenRatios);
      noteAnswer(exchange, finished, services.modelRouter);
      services.requestLog.write(renderLogLine({ exchange, caller, outcome, totalMs, event: finished }));
      if (finished === null) return;
      if (caller !== null) keepContents(exchange, caller, services);
      const event = completeEvent(finished, exchange, outcome, services);
      finishOnce(accepting, event, exchange, services.spool);
    },
  };
}

/** Adds the savings and the prompt hashes, which are computed only after the response. */
function completeEvent(
  event: RequestEventV1,
  exchange: Exchange,
  outcome: RelayOutcome,
  services: RecordServices,
): RequestEventV1 | Promise<RequestEventV1> {
  const saved = addSavings(event, exchange, services.catalog);
  return saved instanceof Promise
    ? saved.then((counted) => addPrompt(counted, exchange, outcome, services))
    : addPrompt(saved, exchange, outcome, services);
}

/** Ends the request after its accept line has been written. A request has no event if it was not accepted. */
function finishOnce(
  accepting: Promise<void>,
  event: ReturnType<typeof addSavings>,
  { trace }: Pick<Exchange, 'trace'>,
  spool: RequestSpool,
): void {
  accepting.then(
    () => spool.finish(event, trace.headers.traceparent),
    () => undefined,
  );
}

/** Stores the request's contents if the account has opted in to content logging. */
function keepContents(
  { contents, requestId, acceptedAt }: Exchange,
  { accountId, retentionDays }: Caller,
  { contents: keeper, accountSecrets }: RecordServices,
): void {
  if (contents === undefined) return;
  const request = { accountId, requestId, acceptedAt, retentionDays };
  keeper.keep(contents, request, accountSecrets.of(accountId));
}

/** Settles the budget with the token counts in the request's log row. */
function settleBudget({ reservation }: Exchange, event: RequestEventV1 | null): void {
  if (reservation === null) return;
  reservation.settle(event === null ? 0 : tokensSaved(event).net);
}

/** After a billed request, updates the account's ratio of bytes per token for the model. */
function noteBilled({ attempts }: Exchange, event: RequestEventV1 | null, tokenRatios: TokenRatios): void {
  if (!event?.usage || event.usage.estimated || event.provider === null || event.model === null) return;
  const { accountId, provider, model } = event;
  tokenRatios.note({ accountId, provider, model }, countSentBytes(attempts), event.usage.inputTokens);
}

/**
 * Counts calls to denied tools, and tool calls that violate the definition of the called tool. Calls that violate a
 * tool's definition are handled by the client itself.
 */
function countInvalidCalls(exchange: Exchange, { summary }: RelayOutcome, metrics: EdgeMetrics): number {
  const { deniedTools } = exchange.ledger;
  const calls = summary?.toolCalls ?? [];
  if (deniedTools.length > 0) metrics.deniedCalls.inc(deniedTools.length);
  if (calls.length === 0 || exchange.judgeCalls === undefined) return 0;
  const { asWritten, shortened } = exchange.judgeCalls(calls);
  metrics.invalidCalls.inc({ definition: 'as_written' }, asWritten);
  metrics.invalidCalls.inc({ definition: 'shortened' }, shortened);
  return asWritten + shortened;
}

/**
 * The documented options of Anthropic's field `input_transformations`. The metric counts undocumented values
 * as `other`.
 */
const transformationTypes = new Set(['thinking_dropped', 'thinking_mismatch_allowed']);
const transformationReasons = new Set(
  ['model', 'prefix', 'organization', 'end_user'].map((bound) => `${bound}_binding_mismatch`),
);

function countTransformations({ summary }: RelayOutcome, { inputTransformations }: EdgeMetrics): void {
  for (const [kind, count] of summary?.inputTransformations ?? []) {
    const [type = '', reason = ''] = kind.split(':');
    const known = (names: ReadonlySet<string>, name: string): string => (names.has(name) ? name : 'other');
    const labels = { type: known(transformationTypes, type), reason: known(transformationReasons, reason) };
    inputTransformations.inc(labels, count);
  }
}

/** Metric names and attributes follow the OpenTelemetry conventions. */
function countCall(event: RequestEventV1 | null, metrics: EdgeMetrics): void {
  if (event === null || event.provider === null || event.ms.overhead === null) return;
  const call = { gen_ai_operation_name: 'chat', gen_ai_provider_name: event.provider };
  metrics.callSeconds.observe(call, (event.ms.total - event.ms.overhead) / 1000);
  if (event.usage === null) return;
  metrics.tokens.observe({ ...call, gen_ai_token_type: 'input' }, event.usage.inputTokens);
  metrics.tokens.observe({ ...call, gen_ai_token_type: 'output' }, event.usage.outputTokens);
}

function countRequest(exchange: Exchange, outcome: RelayOutcome, metrics: EdgeMetrics): void {
  const { timings, ledger, endpoint } = exchange;
  metrics.requests.inc({ endpoint, status: outcome.status });
  if (timings.forwardedAt !== undefined) {
    metrics.overheadSeconds.observe({ endpoint }, (timings.forwardedAt - timings.startedAt) / 1000);
    if (timings.firstByteAt !== undefined) {
      metrics.firstByteSeconds.observe((timings.firstByteAt - timings.forwardedAt) / 1000);
    }
  }
  if (ledger.plan === null) return;
  metrics.plans.inc({ reason: ledger.plan.kReason });
  metrics.toolsIn.inc(ledger.toolsIn);
  metrics.toolsOut.inc(ledger.toolsOut);
  if (timings.planStartedAt !== undefined && timings.planEndedAt !== undefined) {
    metrics.planSeconds.observe((timings.planEndedAt - timings.planStartedAt) / 1000);
  }
}

/**
 * Adds the response's attributes to the trace span of the provider call, and ends the span. The trace span
 * lasts as long as the response.
 */
export function endProviderCall({ attempts, timings }: Exchange, outcome: RelayOutcome): void {
  const providerCall = attempts.current?.span;
  if (providerCall === undefined) return;
  if (providerCall.isRecording() && outcome.summary !== null) {
    providerCall.setAttributes(redactAttributes(renderAnswerAttributes(outcome.summary)));
    if (timings.forwardedAt !== undefined && timings.firstByteAt !== undefined) {
      const seconds = (timings.firstByteAt - timings.forwardedAt) / 1000;
      providerCall.setAttribute(genAi.responseTimeToFirstChunk, seconds);
    }
  }
  if (outcome.status === 'ok') {
    providerCall.end();
    return;
  }
  // The trace span contains only the error code, because a provider's error message may quote the request.
  const code = outcome.errorCode ?? outcome.status;
  recordFailure(providerCall, Object.assign(new Error(code), { code }));
}

function renderAnswerAttributes({ responseId, model, finishReasons, usage }: ResponseSummary): Attributes {
  return {
    [genAi.responseId]: responseId,
    [genAi.responseModel]: model,
    [genAi.responseFinishReasons]: [...finishReasons.values()],
    [genAi.usageInputTokens]: usage?.inputTokens,
    [genAi.usageOutputTokens]: usage?.outputTokens,
    [genAi.usageCacheReadInputTokens]: usage?.cachedInputTokens,
    [genAi.usageCacheCreationInputTokens]: usage?.cacheWriteTokens,
  };
}
