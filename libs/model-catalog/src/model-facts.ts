import type { CatalogModel } from './model-catalog.ts';
import { pricesAt } from './prices.ts';
import type { ApiName, FactName } from './provider-facts.ts';

/**
 * Functions that read model properties. A wrong property can make a request fail or cost more. If a property
 * is unknown or is documented only by third parties, the functions return a safe value. To read uncertain
 * properties, use the model's fields. `evidence` contains the source and certainty of each property.
 */

/** The effect of a changed prompt prefix on reasoning in a transcript. */
export interface ReasoningBinding {
  /**
   * `unknown` means that the catalogue does not contain the model, and the model's id does not show the
   * effect.
   */
  readonly effect: 'rejects' | 'drops' | 'none' | 'unknown';
  /** Whether reasoning is valid only in the provider account that produced the reasoning. */
  readonly isAccountBound: boolean;
}

/** A Claude or GPT id that is not in the catalogue is assumed to belong to a model newer than the catalogue. */
const newestBinding: readonly (readonly [modelId: RegExp, effect: 'rejects' | 'drops'])[] = [
  [/claude/i, 'rejects'],
  [/\bgpt-(?:6[.-][2-9]|[7-9]|\d\d)/i, 'drops'],
];

/**
 * Returns whether a model binds its reasoning to `system`, tools and earlier messages, from the first turn
 * on. If data is missing, the function makes three safe assumptions. Uncertain properties are treated as
 * correct. Without an account creation date, the prefix check is assumed to apply to the provider account.
 * A model that is not in the catalogue is treated as bound if its model family binds reasoning.
 * @param modelId the id as the request spells it, which is used if `model` is undefined
 * @param accountCreatedOn the date on which the provider account was created, as `YYYY-MM-DD`
 */
export function bindsReasoning(
  model: CatalogModel | undefined,
  modelId: string,
  accountCreatedOn?: string,
): ReasoningBinding {
  if (model === undefined) {
    const found = newestBinding.find(([ids]) => ids.test(modelId));
    return { effect: found?.[1] ?? 'unknown', isAccountBound: found !== undefined };
  }
  const { effect = 'none', accountsSince, isAccountBound = false } = model.binding ?? {};
  const isExempt =
    accountsSince !== undefined && accountCreatedOn !== undefined && accountCreatedOn < accountsSince;
  return { effect: isExempt ? 'none' : effect, isAccountBound };
}

/**
 * Returns whether the model reasons if the request does not mention reasoning. If the catalogue has no
 * answer, the function returns true for every model that might be able to reason.
 */
export function thinksByDefault({ thinksByDefault: known, capabilities }: CatalogModel): boolean {
  return known ?? capabilities.thinking !== false;
}

/**
 * Returns whether a provider's API accepts tools for a model. Without a source, the function returns true if
 * the API serves the model, unless the catalogue states that the model does not support tools.
 * @param effort the `reasoning_effort` of the request, or undefined if the request does not set the field
 */
export function takesToolsOn(
  { toolsOn, formats, capabilities }: CatalogModel,
  api: ApiName,
  effort?: string,
): boolean {
  const condition = toolsOn?.[api];
  switch (condition) {
    case 'yes':
      return true;
    case 'no':
      return false;
    case 'effort_none':
      return effort === 'none';
    case 'effort_unset':
      return effort === undefined || effort === 'none';
    case undefined:
      return capabilities.tools !== false && formats.some((format) => format === api);
  }
}

/**
 * Returns whether the provider can defer tools of this model behind its own tool search. If a model does not
 * support tool search, requests with deferred tools may fail. The function uses only facts that the
 * provider's own pages state or imply.
 */
export function defersNatively(model: CatalogModel, api: ApiName): boolean {
  return (model.defersOn?.includes(api) ?? false) && isFirstHand(model, 'defersOn');
}

/**
 * Returns whether a message can add tools to the end of a conversation without changing the prompt prefix.
 * The function uses only facts that the provider's own pages state or imply.
 */
export function addsToolsOn(model: CatalogModel, api: ApiName): boolean {
  return (model.addsToolsOn?.includes(api) ?? false) && isFirstHand(model, 'addsToolsOn');
}

function isFirstHand({ evidence }: CatalogModel, fact: FactName): boolean {
  const confidence = evidence?.[fact]?.confidence;
  return confidence === undefined || confidence === 'documented' || confidence === 'derived';
}

/** Prices of cached input in USD per million tokens. */
export interface CachePrices {
  /** Price of input that is neither read from nor written to the cache. */
  readonly input: number;
  readonly read: number;
  /**
   * Price of input written with the provider's shortest cache lifetime, which is 5 minutes at Anthropic and
   * 30 minutes at OpenAI.
   */
  readonly write: number;
  readonly write1h: number;
  readonly write12h: number;
  /** The shortest prompt prefix that the provider caches, in tokens. */
  readonly minTokens: number;
}

/** The lowest documented price of a cache read, as a share of the input price (Claude Fable 5.1 and 5.2). */
const lowestRead = 0.025;
/**
 * The highest documented price of a cache write, as a multiple of the input price (one-hour writes at
 * Anthropic).
 */
const highestWrite = 2;
/** The lowest documented minimum length of a cacheable prefix (Claude 5.1 and later). */
const lowestMinTokens = 512;

/**
 * Returns the prices of cached input at the time of the request. Callers compare the prices of cached input
 * to find out whether a change to the prompt prefix saves money. Returns null if the provider does not cache
 * prompts for this model, or if caching support or prices are unknown. If the cache read price is unknown,
 * the lowest cache read price that any provider documents is used. If the price of a cache write for an hour
 * or more is unknown, the highest documented cache write price is used. A change to a cached prefix never
 * appears cheaper than it really is. If a model has no separate price for cache writes, the input price
 * applies. To compute the cost of a request, use `costUsd`.
 * @param at the time of the request, as Unix time in milliseconds
 */
export function cachePrices({ prices, cache }: CatalogModel, at: number): CachePrices | null {
  if (prices === null || cache === null || cache.kind === 'none') return null;
  const { input, cacheRead, cacheWrite, cacheWrite1h, cacheWrite12h } = pricesAt(prices, at);
  const write = cacheWrite ?? input;
  const write1h = cacheWrite1h ?? Math.max(write, input * highestWrite);
  return {
    input,
    read: cacheRead ?? input * lowestRead,
    write,
    write1h,
    write12h: cacheWrite12h ?? Math.max(write1h, input * highestWrite),
    minTokens: cache.minTokens ?? lowestMinTokens,
  };
}
