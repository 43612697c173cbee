import type { CatalogModel } from '@gateway/model-catalog';
import type { ContextPrice } from '../../../exchange/exchange.ts';
import type { ContextTokens } from '../../../exchange/tool-plan.ts';

/**
 * Tokens saved × price − cache rewritten, by the provider's rules for prompt caches. Messages are compressed when they come in and
 * replayed after that, so nothing is rewritten as long as the memo of what was sent holds; where it is lost, what comes out is
 * the same again unless the session was begun under other settings, and that is priced as a rewrite.
 */
export function priceContext(model: CatalogModel | undefined, tokens: ContextTokens): ContextPrice {
  const tokensSaved = tokens.savedNew + tokens.savedAgain;
  const prices = readPricesOf(model);
  if (prices === null) return { tokensSaved, savedUsd: null, rewrittenUsd: null };
  const { write, read } = prices;
  return {
    tokensSaved,
    savedUsd: (tokens.savedNew * write + tokens.savedAgain * read) / 1_000_000,
    rewrittenUsd: (tokens.rewritten * (write - read)) / 1_000_000,
  };
}

/** USD per million tokens of input: written to the prompt cache and read from it, which without a cache is one price. */
export interface ReadPrices {
  readonly write: number;
  readonly read: number;
}

/** Null where the catalogue names no prices. */
export function readPricesOf(model: CatalogModel | undefined): ReadPrices | null {
  if (model?.prices == null) return null;
  const { prices, cache } = model;
  const isCached = cache !== null && cache.kind !== 'none';
  return {
    write: isCached ? (prices.cacheWrite ?? prices.input) : prices.input,
    read: isCached ? (prices.cacheRead ?? prices.input) : prices.input,
  };
}

/**
 * Whether sending a conversation in other words than before costs more than those words can save in the request: even without
 * its text at all no more than reading it is saved.
 */
export function isRewriteDear(model: CatalogModel | undefined): boolean {
  const prices = readPricesOf(model);
  return prices !== null && prices.write - prices.read > prices.read;
}
