import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { RequestTrace } from '@gateway/observability';
import type { ByteEdit, ClientFormat, Loss } from '@gateway/interchange';
import type { RequestRoute } from '@gateway/wire-formats';
import type { CompressSchemasReply, RequestEventV1, ToolNeed } from '@gateway/contracts';
import type { Reservation } from '../../budgets/budget-store.port.ts';
import type { Turn } from '../../admission/admission.ts';
import type { JudgeCalls } from '../recovery/judge-calls.ts';
import type { ContentCopy } from '../contents/content-copy.ts';
import type { ParsedRequest } from '../../request/request.ts';
import type { ModelChoice } from '../../request/model-choice.ts';
import { createAttempts, type Attempts } from './attempt.ts';
import type { RecoveryRounds } from '../recovery/recovery-rounds.ts';
import type { LeftOutTools } from './left-out-tools.ts';
import type { Deferral } from './tool-plan.ts';
import { isAnswered, renderHeaderText } from '../../request/http-response.ts';
import { readAgentSessionId, readSessionId } from '../../request/session-id.ts';
import type { ToolPermission } from '../../tool-lists/tool-permission.ts';

/** Timestamps for a request, in milliseconds of `performance.now()`. */
export interface Timings {
  readonly startedAt: number;
  authenticatedAt?: number;
  planStartedAt?: number;
  planEndedAt?: number;
  /** Time at which the first provider call was sent. */
  forwardedAt?: number;
  /** Time at which the first byte of the response body was sent to the client. */
  firstByteAt?: number;
}

/** The facts about a request that the request log contains. The pipeline stages fill in the fields. */
export interface Ledger {
  requestedModel: string | null;
  model: string | null;
  provider: string | null;
  stream: boolean;
  /** The agent's own session id from a header or the body, or null. */
  agentSessionId: string | null;
  lane: RequestEventV1['lane'];
  /** Number of tools in the client's request. */
  toolsOffered: number;
  /** Number of tools that remain after the tool lists of the API key are applied. */
  toolsIn: number;
  /** Number of tool definitions that the model receives in the first provider request. */
  toolsSent: number;
  /** Number of tool definitions that have reached the model so far in this request. */
  toolsOut: number;
  /** Number of tools that the plan left out. */
  toolsPruned: number;
  /** Names of all offered tools, if the tool router did not rank them. */
  offeredTools: readonly string[];
  plan: RequestEventV1['plan'];
  /**
   * For each tool name, the smallest K (number of ranked tools) at which the plan would forward the tool, without and
   * with the account head. Set only for requests in shadow conversations.
   */
  heldFromK?: ReadonlyMap<string, Pick<ToolNeed, 'heldFromK' | 'learnedFromK'>>;
  compressionSteps: CompressSchemasReply['results'][number]['steps'];
  context: RequestEventV1['context'];
  /** Pruned tools that the model reached through the recovery tool. */
  recoveredTools: string[];
  /** Number of provider calls for recovery rounds, which the client does not see. */
  recoveryRounds: number;
  /** Names of denied tools that the model called, at most 64. The client does not see calls to denied tools. */
  deniedTools: readonly string[];
  /** Number of tool calls in the response that violate the definitions of the called tools. */
  invalidCalls: number;
}

/** One chat request in the pipeline, with the connection to its client. */
export interface Exchange {
  /** The id of the request, a UUIDv7 that the gateway created. */
  readonly requestId: string;
  readonly acceptedAt: Date;
  readonly endpoint: string;
  readonly format: ClientFormat;
  /** Route parameters from the URL. Undefined for formats that name the model in the body. */
  readonly route: RequestRoute | undefined;
  /** The client's `X-Svc-Session-Id`, which also identifies the conversation, or null. */
  readonly sessionId: string | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /**
   * The signal aborts if the client disconnects before the response is complete, or if the gateway ends the
   * request. If the gateway ends the request, the abort reason is the gateway's error.
   */
  readonly abort: AbortController;
  readonly timings: Timings;
  readonly ledger: Ledger;
  readonly trace: RequestTrace;
  /** The model that the gateway chose. Absent if the client specified the model. */
  modelChoice?: ModelChoice;
  /** The cost and savings of compressing the conversation. Absent if nothing was compressed. */
  contextPrice?: ContextPrice;
  /** Checks tool calls against the client's tool definitions. Absent if the request has no tools. */
  judgeCalls?: JudgeCalls;
  /** The API key's tool lists, which also apply to the response. Absent if the key may use all tools. */
  toolGuard?: ToolGuard;
  /**
   * Deferral in the provider request. Absent if the plan has no deferral, or if the last target does not
   * support deferral.
   */
  deferral?: Deferral | undefined;
  /** Names of the tools that the provider loads lazily. Absent if no tools are deferred. */
  deferredTools?: ReadonlySet<string> | undefined;
  /** The tools that the plan left out, and their tokens. Absent if the plan left out no tools. */
  leftOut?: LeftOutTools | undefined;
  /**
   * The part of the key's budget that is reserved for this request. The reserved part of the budget is
   * settled when the request ends. Null if the request saves no tokens.
   */
  reservation: Reservation | null;
  /** The request's admission slot. Null while the request has no admission slot. */
  turn: Turn | null;
  /** The provider calls made so far. The state of each provider call is in its `Attempt`. */
  readonly attempts: Attempts;
  /** A copy of a request and its response. Present only if the account has enabled content logging. */
  contents?: ContentCopy;
  /** The recovery rounds for the response. Absent if the request has no recovery. */
  rounds?: RecoveryRounds;
  /** Bytes per input token in the account's requests to the model. Absent until planning. */
  bytesPerToken?: number;
  /** The request before and after edits, for the prompt hashes in the log. Absent until the request is planned. */
  prompt?: SentPrompt;
  /** Gateway headers for every response. `renderAnswerHeaders` adds the headers for the current attempt. */
  readonly headers: Record<string, string>;
}

/** The client's request and the planned request, for the comparison of prompts after the response. */
export interface SentPrompt {
  /** The parsed request from the client. */
  readonly request: ParsedRequest;
  /** The planned request's edits to the client's bytes. */
  readonly edits: readonly ByteEdit[];
}

/** The tool lists of an API key, and their effect on the request. */
export interface ToolGuard {
  readonly permission: ToolPermission;
  /** Whether the client requested usage data in a streamed response. */
  readonly streamsUsage: boolean;
  /** Number of tools before the API key's tool lists were applied. */
  readonly toolsOffered: number;
  /** Whether the API key's tool lists changed the request. */
  readonly isRestricted: boolean;
}

export function createExchange(
  given: Pick<Exchange, 'requestId' | 'endpoint' | 'format' | 'route' | 'request' | 'response' | 'trace'>,
): Exchange {
  const abort = new AbortController();
  given.response.once('close', () => {
    if (!isAnswered(given.response)) abort.abort();
  });
  return {
    ...given,
    sessionId: readSessionId(given.request.headers),
    acceptedAt: new Date(),
    reservation: null,
    turn: null,
    attempts: createAttempts(),
    abort,
    timings: { startedAt: performance.now() },
    ledger: createLedger(readAgentSessionId(given.request.headers)),
    headers: { 'x-request-id': given.requestId },
  };
}

/** Creates an empty `Ledger` for a request that is not parsed yet. */
export function createLedger(agentSessionId: string | null = null): Ledger {
  return {
    requestedModel: null,
    model: null,
    provider: null,
    stream: false,
    agentSessionId,
    lane: null,
    toolsOffered: 0,
    toolsIn: 0,
    toolsSent: 0,
    toolsOut: 0,
    toolsPruned: 0,
    offeredTools: [],
    plan: null,
    compressionSteps: [],
    context: null,
    recoveredTools: [],
    recoveryRounds: 0,
    deniedTools: [],
    invalidCalls: 0,
  };
}

/**
 * Returns whether the client disconnected before its response was complete. Returns false if the gateway itself
 * ended the exchange.
 */
export function hasLeft({ abort }: Pick<Exchange, 'abort'>): boolean {
  return isCancelled(abort.signal);
}

/** Returns whether a signal was aborted for any reason other than a gateway error. */
export function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof GatewayError);
}

/** The target that served a request, or the chosen target if no provider was called. */
export interface Served {
  readonly provider: string | null;
  readonly model: string | null;
  readonly lane: Ledger['lane'];
  readonly losses: readonly Loss[];
}

export function findServed({ ledger, attempts: { current } }: Pick<Exchange, 'ledger' | 'attempts'>): Served {
  const { provider, model, lane } = ledger;
  if (current === null) return { provider, model, lane, losses: [] };
  const { target, losses } = current;
  const isChosen = target.provider.name === provider && target.model === model;
  const sameFormatLane = isChosen ? lane : 'edited';
  return {
    provider: target.provider.name,
    model: target.model,
    lane: target.lane.kind === 'translated' ? 'translated' : sameFormatLane,
    losses,
  };
}

/**
 * Writes the tool counts into the response headers. The client receives the headers before the first recovery
 * round. Tools that are added later appear only in the request log.
 */
export function renderToolCounts({ headers, ledger }: Pick<Exchange, 'headers' | 'ledger'>): void {
  const { toolsOffered, toolsOut } = ledger;
  headers['x-svc-tools-input'] = String(toolsOffered);
  headers['x-svc-tools-output'] = String(toolsOut);
  headers['x-svc-prune-ratio'] = `${toolsOut}/${toolsOffered}`;
}

/**
 * Records that the request is sent with every tool unchanged, because the provider does not support the planned
 * deferral.
 */
export function noteWithoutDeferral(exchange: Exchange): void {
  if (exchange.deferral === undefined) return;
  const { ledger } = exchange;
  Object.assign(exchange, { deferral: undefined, deferredTools: undefined, leftOut: undefined });
  ledger.toolsSent = ledger.toolsIn;
  ledger.toolsOut = ledger.toolsIn;
  ledger.toolsPruned = 0;
  renderToolCounts(exchange);
}

/** Maximum length of the `x-svc-losses` header in characters. */
const lossesCharactersMax = 1000;

/** Returns the gateway's response headers for a request and its current attempt. */
export function renderAnswerHeaders(exchange: Exchange): Record<string, string> {
  const { attempts, timings, ledger } = exchange;
  const { current, callsShown } = attempts;
  const headers = { ...exchange.headers };
  if (timings.forwardedAt !== undefined)
    headers['x-svc-overhead-ms'] = (timings.forwardedAt - timings.startedAt).toFixed(2);
  if (callsShown > 1) headers['x-svc-attempts'] = String(callsShown);
  if (current === null) return headers;
  const { target, losses } = current;
  if (target.provider.name !== ledger.provider || target.model !== ledger.model) {
    headers['x-svc-provider'] = target.provider.name;
    headers['x-svc-model'] = renderHeaderText(target.model);
  }
  if (losses.length > 0) headers['x-svc-losses'] = renderLossFields(losses);
  return headers;
}

/** Renders the names of the lost fields as a short ASCII header value. */
export function renderLossFields(losses: readonly Loss[]): string {
  const fields = [...new Set(losses.map(({ field }) => field))].join(', ');
  return fields.replace(/[^\x20-\x7e]/g, '?').slice(0, lossesCharactersMax);
}

/**
 * The costs and savings of compressing a conversation in one request, in USD. The amounts in USD are null if
 * the prices of the model are unknown.
 */
export interface ContextPrice {
  /** Estimated number of tokens that compression saved. */
  readonly tokensSaved: number;
  readonly savedUsd: number | null;
  /** The cost of a second cache write for messages that compression changed. */
  readonly rewrittenUsd: number | null;
}
