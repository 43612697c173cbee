import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';

/** The ending of a request whose edge died with it. */
export function renderInterruptedEvent(accepted: RequestAcceptedV1): RequestEventV1 {
  return {
    ...accepted,
    status: 'interrupted',
    httpStatus: null,
    errorCode: null,
    errorMessage: null,
    losses: [],
    requestedModel: null,
    model: null,
    provider: null,
    providerRequestId: null,
    stream: false,
    lane: null,
    toolsIn: 0,
    toolsOut: 0,
    compressionSteps: [],
    context: null,
    calledTools: [],
    recoveredTools: [],
    hiddenRounds: 0,
    modelChoice: null,
    usage: null,
    costUsd: null,
    providerSavingsUsd: null,
    grossSavingsUsd: null,
    ms: { total: 0, firstByte: null, overhead: null, auth: null, plan: null, upstream: null },
    plan: null,
  };
}
