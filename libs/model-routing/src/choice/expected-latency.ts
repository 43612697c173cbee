import type { CatalogModel } from '@gateway/model-catalog';
import type { ObservedLatency } from './question.ts';

/** A typical answer, over which delay to the first token and pace are weighed. */
const tokensTypical = 200;
/** How many requests the prior is worth. */
const priorWeight = 2;

/**
 * Before anything was observed: dearer models are larger, and larger ones slower. An assumption that gives way after a few
 * requests; no public source has figures for all models.
 */
function priorOf({ prices }: CatalogModel): ObservedLatency {
  const size = Math.log2(1 + (prices?.output ?? 10));
  return { firstTokenMs: 400 + 200 * size, msPerToken: 6 + 4 * size, weight: priorWeight };
}

/** Milliseconds until a typical answer is there. */
export function expectLatencyMs(model: CatalogModel, observed: ObservedLatency | undefined): number {
  const prior = priorOf(model);
  const weight = observed?.weight ?? 0;
  const blend = (seen: number | undefined, before: number): number =>
    ((seen ?? 0) * weight + before * prior.weight) / (weight + prior.weight);
  const firstTokenMs = blend(observed?.firstTokenMs, prior.firstTokenMs);
  return firstTokenMs + tokensTypical * blend(observed?.msPerToken, prior.msPerToken);
}
