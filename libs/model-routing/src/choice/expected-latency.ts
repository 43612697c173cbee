import type { CatalogModel } from '@gateway/model-catalog';
import type { ObservedLatency } from './question.ts';

/** A typical answer, over which delay to the first token and pace are weighed. */
const tokensTypical = 200;
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
  if (observed === undefined) return prior.firstTokenMs + tokensTypical * prior.msPerToken;
  const blend = (seen: number, before: number): number =>
    (seen * observed.weight + before * priorWeight) / (observed.weight + priorWeight);
  const msPerToken =
    observed.msPerToken === null ? prior.msPerToken : blend(observed.msPerToken, prior.msPerToken);
  return blend(observed.firstTokenMs, prior.firstTokenMs) + tokensTypical * msPerToken;
}
