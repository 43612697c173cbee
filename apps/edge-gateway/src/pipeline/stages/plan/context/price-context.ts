import type { CatalogModel } from '@gateway/model-catalog';
import type { ContextPrice } from '../../../context-price.ts';
import type { ContextTokens } from '../../../tool-plan.ts';

/**
 * Tokens saved × price − cache rewritten, by the provider's rules for prompt caches. Messages are compressed when they come in and
 * replayed after that, so nothing is rewritten as long as the memo of what was sent holds; where it is lost, what comes out is
 * the same again unless the session was begun under other settings, and that is priced as a rewrite.
 */
export function priceContext(model: CatalogModel | undefined, tokens: ContextTokens): ContextPrice {
  const tokensSaved = tokens.savedNew + tokens.savedAgain;
  if (model?.prices == null) return { tokensSaved, savedUsd: null, rewrittenUsd: null };
  const { prices, cache } = model;
  const isCached = cache !== null && cache.kind !== 'none';
  const write = isCached ? (prices.cacheWrite ?? prices.input) : prices.input;
  const read = isCached ? (prices.cacheRead ?? prices.input) : prices.input;
  return {
    tokensSaved,
    savedUsd: (tokens.savedNew * write + tokens.savedAgain * read) / 1_000_000,
    rewrittenUsd: (tokens.rewritten * (write - read)) / 1_000_000,
  };
}
