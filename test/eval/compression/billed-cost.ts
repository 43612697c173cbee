import type { CatalogModel } from '@gateway/model-catalog';

/** The shortest prefix that providers cache, where the catalogue does not know it. */
const cachedTokensMin = 1024;

/** A request of a session: how many tokens it shares with the one before from the start, and how many it has. */
export interface BilledTurn {
  readonly sharedTokens: number;
  readonly tokens: number;
}

/**
 * What the input of a session costs in USD, by the provider's rules for prompt caches: the prefix shared with the turn before
 * is read from the cache where it is long enough, the rest of a cacheable input is written to it. Turns follow each other
 * within the cache's lifetime, and an explicit cache is marked at the end of each request, as agents do.
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
