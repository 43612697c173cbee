import type { CatalogModel } from '@gateway/model-catalog';
import { costUsd } from '@gateway/model-catalog';
import type { Needs, ObservedLatency } from './question.ts';

/** Assumed number of output tokens per response. Agent turns have about this number of output tokens. */
const outputTokensTypical = 400;

/**
 * Expected cost of sending the request to a model, in USD. Returns null if the model's prices are
 * unknown.
 * @param cachedTokens input tokens already in the provider's cache
 * @param at the time of the request, as Unix time in milliseconds
 */
export function expectCostUsd(
  model: CatalogModel,
  needs: Needs,
  cachedTokens: number,
  at: number,
): number | null {
  const outputTokens = Math.min(needs.outputTokensMax ?? outputTokensTypical, outputTokensTypical);
  const isCached = model.cache !== null && model.cache.kind !== 'none';
  const cached = isCached ? Math.min(cachedTokens, needs.inputTokens) : 0;
  const writes = isCached && (needs.marksCache || model.cache.kind === 'automatic');
  const usage = {
    inputTokens: needs.inputTokens,
    outputTokens,
    cachedInputTokens: cached,
    ...(writes ? { cacheWriteTokens: needs.inputTokens - cached } : {}),
  };
  return costUsd(model, usage, at);
}

/**
 * Number of output tokens in a typical response. The token count determines the relative weights of the time
 * to first token and the time per token.
 */
const latencyTokensTypical = 200;
interface Prior {
  readonly firstTokenMs: number;
  readonly msPerToken: number;
}

/** Weight of the prior for latency, as a number of requests. */
const priorWeight = 2;

/**
 * Latency estimate for a model without observations. The estimate assumes that a more expensive model is
 * larger and slower, because no public source has latency figures for all models. After a few observed
 * requests, the observations have more weight than the estimate.
 */
function priorOf({ prices }: CatalogModel): Prior {
  const size = Math.log2(1 + (prices?.output ?? 10));
  return { firstTokenMs: 400 + 200 * size, msPerToken: 6 + 4 * size };
}

/** Expected milliseconds until a typical response is complete. */
export function expectLatencyMs(model: CatalogModel, observed: ObservedLatency | undefined): number {
  const prior = priorOf(model);
  if (observed === undefined) return prior.firstTokenMs + latencyTokensTypical * prior.msPerToken;
  const blend = (seen: number, before: number): number =>
    (seen * observed.weight + before * priorWeight) / (observed.weight + priorWeight);
  const msPerToken =
    observed.msPerToken === null ? prior.msPerToken : blend(observed.msPerToken, prior.msPerToken);
  return blend(observed.firstTokenMs, prior.firstTokenMs) + latencyTokensTypical * msPerToken;
}
