import type { CatalogModel } from '@gateway/model-catalog';
import { costUsd } from '@gateway/model-catalog';
import type { Needs, ObservedLatency } from './question.ts';

/** What an answer is taken to have where nothing bounds it: about the mean of agents' turns. */
const outputTokensTypical = 400;

/**
 * What the request is expected to cost at a model, in USD; null where its prices are not known.
 *
 * @param cachedTokens of the input, those that the provider has in its cache.
 */
export function expectCostUsd(model: CatalogModel, needs: Needs, cachedTokens: number): number | null {
  const outputTokens = Math.min(needs.outputTokensMax ?? outputTokensTypical, outputTokensTypical);
  const isCached = model.cache !== null && model.cache.kind !== 'none';
  const cached = isCached ? Math.min(cachedTokens, needs.inputTokens) : 0;
  const writes = isCached && (needs.marksCache || model.cache.kind === 'automatic');
  return costUsd(model, {
    inputTokens: needs.inputTokens,
    outputTokens,
    cachedInputTokens: cached,
    ...(writes ? { cacheWriteTokens: needs.inputTokens - cached } : {}),
  });
}

/** A typical answer, over which delay to the first token and pace are weighed. */
const latencyTokensTypical = 200;
interface Prior {
  readonly firstTokenMs: number;
  readonly msPerToken: number;
}

/** How many requests the prior is worth. */
const priorWeight = 2;

/**
 * Before anything was observed: dearer models are larger, and larger ones slower. An assumption that gives way after a few
 * requests; no public source has figures for all models.
 */
function priorOf({ prices }: CatalogModel): Prior {
  const size = Math.log2(1 + (prices?.output ?? 10));
  return { firstTokenMs: 400 + 200 * size, msPerToken: 6 + 4 * size };
}

/** Milliseconds until a typical answer is there. */
export function expectLatencyMs(model: CatalogModel, observed: ObservedLatency | undefined): number {
  const prior = priorOf(model);
  if (observed === undefined) return prior.firstTokenMs + latencyTokensTypical * prior.msPerToken;
  const blend = (seen: number, before: number): number =>
    (seen * observed.weight + before * priorWeight) / (observed.weight + priorWeight);
  const msPerToken =
    observed.msPerToken === null ? prior.msPerToken : blend(observed.msPerToken, prior.msPerToken);
  return blend(observed.firstTokenMs, prior.firstTokenMs) + latencyTokensTypical * msPerToken;
}
