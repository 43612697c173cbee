import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { RequestTrace, Span } from '@gateway/observability';
import type { ClientFormat, Loss } from '@gateway/interchange';
import type { RequestRoute, UpstreamToolNames } from '@gateway/wire-formats';
import type { CompressSchemasReply, RequestEventV1 } from '@gateway/contracts';
import type { Reservation } from '../../budgets/key-budget.ts';
import type { Turn } from '../../admission/admission.ts';
import type { JudgeCalls } from '../recovery/judge-calls.ts';
import type { ContentCopy } from '../contents/content-copy.ts';
import type { ModelChoice } from '../../request/model-choice.ts';
import type { Tries } from './tries.ts';
import { createTries } from './tries.ts';
import type { RecoveryRounds } from '../recovery/recovery-rounds.ts';
import { isAnswered } from '../../request/http-response.ts';
import { readSessionId } from '../../request/conversation.ts';

/** When each thing happened, in milliseconds of `performance.now()`. */
export interface Timings {
  readonly startedAt: number;
  authenticatedAt?: number;
  planStartedAt?: number;
  planEndedAt?: number;
  /** The provider call went out. */
  forwardedAt?: number;
  /** The same of the last of several calls, when the first did not get the answer. */
  calledAgainAt?: number;
  /** The provider's status and headers came in. */
  upstreamHeadersAt?: number;
  /** The first byte of the answer's body went to the client. */
  firstByteAt?: number;
}

/** What the log will say, filled in along the way by the stages. */
export interface Ledger {
  requestedModel: string | null;
  model: string | null;
  provider: string | null;
  stream: boolean;
  lane: RequestEventV1['lane'];
  toolsIn: number;
  toolsOut: number;
  plan: RequestEventV1['plan'];
  compressionSteps: CompressSchemasReply['results'][number]['steps'];
  context: RequestEventV1['context'];
  /** What the provider's format could not carry of the request. */
  losses: readonly Loss[];
  /** Tools that had been left out and that the model asked for by the stand-in tool. */
  recoveredTools: string[];
  /** Rounds that the client did not see. */
  recoveryRounds: number;
  /** Calls of the answer that their tools' own definitions refuse. */
  invalidCalls: number;
}

/** One chat request on its way through the pipeline, and the client's connection. */
export interface Exchange {
  /** UUIDv7, made here. */
  readonly requestId: string;
  readonly acceptedAt: Date;
  readonly endpoint: string;
  readonly format: ClientFormat;
  /** What the address says of the request, in a format that names its model there. */
  readonly route: RequestRoute | undefined;
  /** The client's session id. Null without one. */
  readonly sessionId: string | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client leaves before its answer is complete, or with the reason for which the gateway ends it. */
  readonly abort: AbortController;
  readonly timings: Timings;
  readonly ledger: Ledger;
  readonly trace: RequestTrace;
  /** How the model was chosen. Absent where the client named it. */
  modelChoice?: ModelChoice;
  /** What compressing the conversation is worth. Absent where there was nothing to compress. */
  contextPrice?: ContextPrice;
  /** By the tools' definitions as the client wrote them. Absent where there are no tools. */
  judgeCalls?: JudgeCalls;
  /** Tools that the provider was left to load. Absent where there are none. */
  deferredTools?: ReadonlySet<string> | undefined;
  /** The span of the provider call; ended with the answer. */
  providerCall?: Span;
  /** Whether the client wants a streamed answer to tell its usage. Known when the request is translated. */
  streamsUsage: boolean;
  /** What a translated request's provider means by names of tools that are not the client's. Null: it was told no other ones. */
  toolNames: UpstreamToolNames | null;
  /** What is held of the key's budget for this request; settled when it ends. Null when it saves nothing. */
  reservation: Reservation | null;
  /** The request's place among those that are served; null while it has none. */
  turn: Turn | null;
  /** The provider calls made so far. */
  readonly tries: Tries;
  /** Length of the body that went out; 0 until then. */
  outboundBytes: number;
  /** What it says and what is answered. Absent where its account does not let that be kept. */
  contents?: ContentCopy;
  /** The rounds of its answer, where its request has a net. */
  rounds?: RecoveryRounds;
  /** Headers of ours for the answer, whatever it will be. */
  readonly headers: Record<string, string>;
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
    outboundBytes: 0,
    streamsUsage: false,
    toolNames: null,
    reservation: null,
    turn: null,
    tries: createTries(),
    abort,
    timings: { startedAt: performance.now() },
    ledger: createLedger(),
    headers: { 'x-request-id': given.requestId },
  };
}

/** What is known of a request before it is looked at. */
export function createLedger(): Ledger {
  return {
    requestedModel: null,
    model: null,
    provider: null,
    stream: false,
    lane: null,
    toolsIn: 0,
    toolsOut: 0,
    plan: null,
    compressionSteps: [],
    context: null,
    losses: [],
    recoveredTools: [],
    recoveryRounds: 0,
    invalidCalls: 0,
  };
}

/** Whether the client has left before its answer was complete. An exchange that the gateway ended is not left. */
export function hasLeft({ abort }: Pick<Exchange, 'abort'>): boolean {
  return abort.signal.aborted && !(abort.signal.reason instanceof GatewayError);
}

/** What compression of a conversation is worth in one request, in USD. Null where the model's prices are not known. */
export interface ContextPrice {
  /** Estimated. */
  readonly tokensSaved: number;
  readonly savedUsd: number | null;
  /** What is written to the provider's prompt cache once more because earlier messages go out in other words than before. */
  readonly rewrittenUsd: number | null;
}
