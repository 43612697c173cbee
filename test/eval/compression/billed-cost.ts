import type { CatalogModel } from '@gateway/model-catalog';

/**
 * The minimum length in tokens of a prefix that providers cache, used if the catalogue does not state the
 * minimum.
 */
const cachedTokensMin = 1024;

/**
 * One request in a session: its total tokens, and the tokens of the prefix that the request shares with the
 * previous request.
 */
export interface BilledTurn {
  readonly sharedTokens: number;
  readonly tokens: number;
}

/**
 * Returns the input cost of a session in USD under the provider's prompt cache rules. The prefix shared with
 * the previous turn is read from the cache if the prefix is long enough. The rest of a cacheable input is
 * written to the cache. Turns are assumed to follow each other within the cache's lifetime. The function
 * assumes explicit cache markers at the end of each request, because agents set them there.
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
 * Adds this many tokens of tools and instructions in front of each turn's messages. The added tokens are in
 * the provider's cache from the first turn on, as in every session of an agent except the first.
 */
export function withFront(turns: readonly BilledTurn[], frontTokens: number): BilledTurn[] {
  return turns.map(({ sharedTokens, tokens }) => ({
    sharedTokens: sharedTokens + frontTokens,
    tokens: tokens + frontTokens,
  }));
}
