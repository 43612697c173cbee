import type { ResponseSummary } from '@gateway/interchange';
import { genAi, recordFailure, type Attributes } from '@gateway/observability';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';

/** Ends the span of the provider call, which lasts as long as its answer, with what the answer was. */
export function endProviderCall({ providerCall, timings }: Exchange, outcome: RelayOutcome): void {
  if (providerCall === undefined) return;
  if (providerCall.isRecording() && outcome.summary !== null) {
    providerCall.setAttributes(renderAnswerAttributes(outcome.summary));
    if (timings.forwardedAt !== undefined && timings.firstByteAt !== undefined) {
      const seconds = (timings.firstByteAt - timings.forwardedAt) / 1000;
      providerCall.setAttribute(genAi.responseTimeToFirstChunk, seconds);
    }
  }
  if (outcome.status === 'ok') {
    providerCall.end();
    return;
  }
  // The code alone: a provider's message may quote the request.
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
