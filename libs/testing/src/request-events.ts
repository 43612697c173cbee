import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import { uuidv7 } from 'uuidv7';

/** The event for an accepted request, in the form in which the gateway writes it. */
export function createAcceptedEvent(change: Partial<RequestAcceptedV1> = {}): RequestAcceptedV1 {
  return {
    v: 1,
    requestId: uuidv7(),
    accountId: uuidv7(),
    keyId: uuidv7(),
    acceptedAt: new Date().toISOString(),
    endpoint: '/v1/chat/completions',
    format: 'chat-completions',
    sessionId: null,
    clientRequestId: null,
    traceId: null,
    ...change,
  };
}

/** A plan that forwards the first `k` of `tools` tools. */
export function createPlanEvent(tools: number, k: number): NonNullable<RequestEventV1['plan']> {
  return {
    intent: 'act',
    method: 'keyword',
    k,
    kReason: 'prior',
    policyVersion: 'prior-1',
    defect: null,
    candidates: Array.from({ length: tools }, (_, at) => ({
      name: `tool_${at}`,
      score: 1 / (at + 3),
      rank: at + 1,
      forwarded: at < k,
      alwaysIn: null,
    })),
  };
}

/** The event fields for a request that has no tools and is not changed. */
const unplanned = {
  toolsOffered: null,
  toolsIn: 0,
  toolsOut: 0,
  toolsPruned: null,
  toolTokensSaved: null,
  offeredTools: [],
  plan: null,
  compressionSteps: [],
  context: null,
  losses: [],
  calledTools: [],
  recoveredTools: [],
  deniedTools: [],
  hiddenRounds: 0,
  recoveryTokens: 0,
  modelChoice: null,
} satisfies Partial<RequestEventV1>;

/**
 * The final event for an unchanged request without tools. The event reports success, unless `change`
 * overrides fields.
 */
export function createEndedEvent(
  accepted: RequestAcceptedV1 = createAcceptedEvent(),
  change: Partial<RequestEventV1> = {},
): RequestEventV1 {
  return {
    ...accepted,
    status: 'ok',
    httpStatus: 200,
    errorCode: null,
    errorMessage: null,
    requestedModel: 'sandbox/echo',
    model: 'echo',
    provider: 'sandbox',
    providerRequestId: 'chatcmpl-1',
    stream: false,
    lane: 'untouched',
    ...unplanned,
    usage: {
      inputTokens: 120,
      outputTokens: 30,
      cachedInputTokens: 100,
      cacheWriteTokens: 0,
      estimated: false,
    },
    costUsd: 0.000123,
    providerSavingsUsd: null,
    grossSavingsUsd: null,
    prompt: null,
    ms: { total: 321.5, firstByte: 200.25, overhead: 1.5, auth: 0.25, plan: null, upstream: 320 },
    ...change,
  };
}
