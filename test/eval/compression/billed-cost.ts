import type { CatalogModel } from '@gateway/model-catalog';

/** The minimum length in tokens of a prefix that providers cache, for models without a minimum in the catalogue. */
const cachedTokensMin = 1024;

/**
 * The token counts of one request in a session. `sharedTokens` counts the tokens of the prefix that is shared
 * with the previous request.
 */
export interface BilledTurn {
  readonly sharedTokens: number;
  readonly tokens: number;
}

/**
 * Returns a session's input cost in USD under the provider's prompt cache rules. If a shared prefix is long
 * enough, its tokens are read from the cache. The remaining tokens of a cacheable input are written to the
 * cache. Turns are assumed to follow each other within the cache's lifetime. Each request is assumed to end
 * with an explicit cache marker, as agents' requests do.
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

/**
 * Adds the given number of tool and instruction tokens in front of each turn's messages. The added tokens are
 * in the provider's cache from the first turn on, because an agent's earlier sessions sent the tokens.
 */
export function withFront(turns: readonly BilledTurn[], frontTokens: number): BilledTurn[] {
  return turns.map(({ sharedTokens, tokens }) => ({
    sharedTokens: sharedTokens + frontTokens,
    tokens: tokens + frontTokens,
  }));
}
