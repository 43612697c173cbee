import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { ChatMessage, ChatRequest } from '@gateway/interchange';
import { addsToolsOn, type CatalogModel, type ModelCatalog } from '@gateway/model-catalog';
import { genAi, openSpan, SpanKind, type Span } from '@gateway/observability';
import { renderUpstreamRequest, signUpstreamRequest, type UpstreamCall } from '@gateway/providers';
import {
  EditedBytes,
  findCustomTools,
  formatNamed,
  nameTools,
  providerFormatNamed,
  scanJson,
  wrapCustomTools,
  type RequestRenderOptions,
} from '@gateway/wire-formats';
import { loopHeader } from '../../../loops/loop-guard.ts';
import { letOthersRun } from '../../../admission/admission.ts';
import { carriesSignedReasoning, dropSealedReasoning, isLarge } from '../../../request/request-facts.ts';
import type { Target } from '../../../request/request.ts';
import { charactersPerToken } from '../../../request/token-estimates.ts';
import type { Upstream, UpstreamReply } from '../../../upstream/upstream.port.ts';
import type { Attempt } from '../../exchange/attempt.ts';
import { renderLossFields, type Exchange } from '../../exchange/exchange.ts';
import type { Candidate } from './candidates.ts';
import type { KeptReasoning } from './kept-reasoning.ts';
import { markCache } from './mark-cache.ts';

/** The planned request in the client's format. */
interface PlannedRequest {
  /** The request body, with the edits for this target. */
  readonly body: EditedBytes;
  /**
   * Messages to append after the last message in `body`. Used only for translation, because a body that is not
   * translated already contains these messages.
   */
  readonly added: readonly ChatMessage[];
  /**
   * Derives the conversation's key for the provider's prompt cache. Null if the account turned off prompt
   * caches for translated requests.
   */
  readonly promptCacheKey: () => string | null;
  readonly accountId: string;
  /** A beta flag that the request needs in `anthropic-beta`, in addition to the client's beta flags. */
  readonly beta?: string | undefined;
}

export interface CallServices {
  readonly upstream: Upstream;
  readonly catalog: ModelCatalog;
  readonly keptReasoning: Pick<KeptReasoning, 'restore'>;
}

/**
 * Calls a provider once, with the candidate's credential. Resolves with the status and headers of the
 * provider's response.
 */
export async function callProvider(
  planned: PlannedRequest,
  candidate: Candidate,
  attempt: Attempt,
  exchange: Exchange,
  signal: AbortSignal,
  services: CallServices,
): Promise<UpstreamReply> {
  const { target, connection } = candidate;
  const isTranslated = target.lane.kind === 'translated';
  const { body, apiVersion } = isTranslated
    ? await translateRequest(planned, candidate, attempt, exchange, services)
    : { body: target.lane.format === 'responses' ? await dropSealed(planned, exchange) : planned.body };
  const call = describeCall(planned, candidate, exchange, apiVersion);
  const request = await signUpstreamRequest(call, renderUpstreamRequest(call), {
    method: 'POST',
    get body() {
      return body.bytes;
    },
  });
  // Memory for the first upstream body was reserved together with the client's body.
  // A translated body, and the body of any later provider call, need additional memory.
  if (isTranslated || exchange.attempts.calls > 0) exchange.turn?.memory.add(body.length);
  attempt.bodyBytes = body.length;
  markSent(attempt, exchange);
  attempt.span = openProviderSpan(target);
  const received = exchange.request.headers[loopHeader];
  const pieces = body.pieces();
  const sent = pieces.length > 1 ? pieces : (pieces[0] ?? null);
  const answer = await services.upstream.send({ ...request, body: sent, signal, loopHeader: received });
  attempt.headersAt = performance.now();
  connection.health.note(answer.status);
  return answer;
}

function describeCall(
  { beta }: PlannedRequest,
  { target, connection }: Candidate,
  { ledger, request }: Exchange,
  apiVersion: string | undefined,
): UpstreamCall {
  return {
    provider: target.provider,
    format: target.lane.format,
    baseUrl: connection.baseUrl,
    model: target.model,
    credential: connection.credential,
    stream: ledger.stream,
    // A translated request drops the headers of the client's format, because other formats may use the same headers differently.
    ...(target.lane.kind === 'translated' ? {} : { clientHeaders: withBeta(request.headers, beta) }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(target.path === undefined ? {} : { path: target.path }),
  };
}

const scan = (bytes: Uint8Array) => scanJson(bytes, { depthMax: 128 });

/** Returns the client's bytes, without reasoning that the gateway encoded for the client. */
async function dropSealed({ body, added }: PlannedRequest, exchange: Exchange): Promise<EditedBytes> {
  const tape = exchange.prompt?.request.tape;
  if (added.length === 0 && tape !== undefined && !carriesSignedReasoning(tape)) return body;
  if (isLarge(body)) await letOthersRun(exchange);
  return new EditedBytes(dropSealedReasoning(body.bytes, scan), []);
}

function withBeta(headers: IncomingHttpHeaders, beta: string | undefined): IncomingHttpHeaders {
  if (beta === undefined) return headers;
  return { ...headers, 'anthropic-beta': [headers['anthropic-beta'] ?? [], beta].flat().join(',') };
}

/** Counts a call to the provider. The gateway's own processing time is measured up to the first provider call. */
export function markSent(attempt: Attempt, { attempts, timings }: Exchange): void {
  attempt.sentAt = performance.now();
  timings.forwardedAt ??= attempt.sentAt;
  attempts.calls += 1;
  attempts.callsShown = attempts.calls - attempts.callsHidden;
}

function openProviderSpan({ provider, model }: Target): Span {
  const attributes = {
    [genAi.operationName]: 'chat',
    [genAi.providerName]: provider.name,
    [genAi.requestModel]: model,
  };
  return openSpan(`chat ${model}`, attributes, SpanKind.CLIENT);
}

/** A request, rendered in the provider's format. */
interface TranslatedRequest {
  readonly body: EditedBytes;
  /**
   * The provider API version for which the body is written. Undefined if the API has only one
   * version.
   */
  readonly apiVersion?: string | undefined;
}

/**
 * Default limit for output tokens. The default applies if the format requires a limit but neither the client
 * nor the catalogue sets one.
 */
const outputTokensDefault = 4096;

/**
 * Translates the planned request. Translation starts from the edited bytes, so that pruning and the removal of
 * extension fields work the same with and without translation. The gateway's own messages are added unchanged. Every
 * provider receives its own data (for example a signature) unmodified, regardless of the client's format.
 * @throws GatewayError `translation_loss` if the client requested strict translation and the translation has a loss
 */
async function translateRequest(
  planned: PlannedRequest,
  candidate: Candidate,
  attempt: Attempt,
  exchange: Exchange,
  services: CallServices,
): Promise<TranslatedRequest> {
  const { added, promptCacheKey } = planned;
  const { bytes } = planned.body;
  const { target } = candidate;
  const tape = scan(bytes);
  if (isLarge(bytes)) await letOthersRun(exchange);
  const parsed = formatNamed(exchange.format).client.parseRequest(tape, exchange.route);
  if (isLarge(bytes)) await letOthersRun(exchange);
  const { provider } = providerFormatNamed(target.lane.format);
  const restored = await restoreReasoning(parsed, planned, candidate, attempt, exchange, services);
  const whole = { ...restored, messages: [...restored.messages, ...added] };
  const { request: named, losses: toolLosses } = adaptTools(whole, attempt);
  const facts = services.catalog.find(target.provider.name, target.model);
  const tokens = bytes.length / charactersPerToken;
  const key = promptCacheKey();
  const { request, markers } =
    key === null
      ? { request: named, markers: 0 }
      : markCache(named, { model: target.model, facts, rules: provider.cacheMarkers, tokens });
  attempt.cacheMarkers = markers;
  attempt.streamsUsage = request.streamsUsage;
  const options = {
    ...renderOptions(request, target, facts),
    ...(key !== null && takesKey(target, facts, tokens) ? { promptCacheKey: key } : {}),
  };
  const { body, losses: formatLosses } = provider.renderRequest(request, options);
  const losses = [...toolLosses, ...formatLosses];
  attempt.losses = losses;
  if (isLarge(bytes)) await letOthersRun(exchange);
  if (losses.length > 0 && exchange.request.headers['x-svc-strict'] === 'true') throw lossError(attempt);
  return { body: new EditedBytes(Buffer.from(JSON.stringify(body)), []), apiVersion: options.apiVersion };
}

/**
 * Adds stored reasoning to a request in a format that cannot carry encrypted reasoning. The reasoning of the
 * response is stored for the client's next request. Reasoning after the gateway's own messages is not stored,
 * because the client's next request lacks these messages.
 */
async function restoreReasoning(
  parsed: ChatRequest,
  { accountId, added }: PlannedRequest,
  { target, connection }: Candidate,
  attempt: Attempt,
  { format, sessionId }: Exchange,
  { keptReasoning }: CallServices,
): Promise<ChatRequest> {
  if (target.lane.format !== 'responses' || formatNamed(format).client.carriesReasoning) return parsed;
  const { credential, baseUrl } = connection;
  const { request, recorder } = await keptReasoning.restore(parsed, {
    ...{ accountId, sessionId, model: target.model, credential },
    provider: `${target.provider.name} ${baseUrl ?? ''}`,
  });
  attempt.reasoning = added.length === 0 ? recorder : null;
  return request;
}

/** Replaces custom tools, and tools with names that the provider rejects. */
function adaptTools(whole: ChatRequest, attempt: Attempt): ReturnType<typeof wrapCustomTools> {
  const { provider, lane } = attempt.target;
  attempt.customTools = findCustomTools(whole);
  const wrapped =
    provider.takesCustomTools === true ? { request: whole, losses: [] } : wrapCustomTools(whole);
  const { request, meant } = nameTools(
    wrapped.request,
    providerFormatNamed(lane.format).provider.toolNamePattern,
  );
  attempt.toolNames = meant;
  return { request, losses: wrapped.losses };
}

/**
 * Returns whether the provider accepts a key for its prompt cache and the prompt is long enough to be
 * cached.
 */
function takesKey({ provider }: Target, facts: CatalogModel | undefined, tokens: number): boolean {
  if (provider.takesPromptCacheKey !== true || facts?.cache?.kind !== 'automatic') return false;
  return tokens >= (facts.cache.minTokens ?? 0);
}

/** Models that accept new tools during a conversation receive the tools in system messages. */
function takesSystemTurns(model: CatalogModel, format: Target['lane']['format']): boolean {
  return (format === 'messages' || format === 'converse') && addsToolsOn(model, format);
}

function renderOptions(
  request: ChatRequest,
  target: Target,
  model: CatalogModel | undefined,
): RequestRenderOptions {
  const apiVersion = providerFormatNamed(target.lane.format).provider.chooseApiVersion?.(request);
  return {
    model: target.model,
    maxOutputTokensDefault: model?.maxOutputTokens ?? outputTokensDefault,
    takesSystemTurns: model !== undefined && takesSystemTurns(model, target.lane.format),
    ...(apiVersion === undefined ? {} : { apiVersion }),
  };
}

function lossError({ losses, target }: Attempt): GatewayError {
  return new GatewayError('translation_loss', {
    param: losses[0]?.field ?? '',
    message: `The provider ${target.provider.name} does not support these fields of the request: ${renderLossFields(losses)}. Remove them, or send the request without x-svc-strict.`,
  });
}
