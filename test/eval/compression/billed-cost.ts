import type { CatalogModel } from '@gateway/model-catalog';

/** The shortest prefix that providers cache, if the catalogue does not state it. */
const cachedTokensMin = 1024;

/** A request of a session: the tokens of its common prefix with the previous request, and all its tokens. */
export interface BilledTurn {
  readonly sharedTokens: number;
  readonly tokens: number;
}

/**
 * The input cost of a session in USD under the provider's rules for prompt caches. The prefix shared with the
 * previous turn is read from the cache if it is long enough. The rest of a cacheable input is written to it.
 * Turns follow within the cache's lifetime, and explicit caches are marked at the end of each request, as
 * agents do.
 */
export function billedInputUsd({ prices, cache }: CatalogModel, turns: readonly BilledTurn[]): number {
  if (prices === null) return 0;
  const isCached = cache !== null && cache.kind !== 'none';
  const minTokens = cache?.minTokens ?? cachedTokensMin;
  let cost = 0;
  for (const { sharedTokens, tokens } of turns) {
    const read = isCached && sharedTokens >= minTokens ? sharedTokens : 0;
    const written = isCached && tokens >= minTokens ? tokens - read : 0;
    cost += read * (prices.cacheRead ?? prices.input);
    cost += written * (prices.cacheWrite ?? prices.input);
    cost += (tokens - read - written) * prices.input;
  }
  return cost / 1_000_000;
}
