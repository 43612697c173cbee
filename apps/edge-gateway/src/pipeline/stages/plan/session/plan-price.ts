import type { PlanPrice } from '@gateway/contracts';
import type { RequestOutline, ToolOutline } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { NativeSelection } from '../../../exchange/tool-plan.ts';
import { charactersPerToken } from '../../../../request/token-estimates.ts';

/** The shortest prefix that providers cache, where the catalogue does not know it. */
const cachedTokensMin = 1_024;
/** What output costs against input, where prices are not known: the usual for chat models. */
const outputUsual = 4;

/**
 * What tokens cost where the request goes. It has to be the same in every turn of a session, so it is estimated by a fixed
 * ratio, and of the conversation it counts what stands before the model's first turn alone.
 */
export function priceOf(
  model: CatalogModel | undefined,
  tools: readonly ToolOutline[],
  outline: RequestOutline,
  native?: NativeSelection['mode'],
): PlanPrice {
  const firstTurn = outline.messages.findIndex(({ role }) => role === 'assistant');
  const head = firstTurn < 0 ? outline.messages : outline.messages.slice(0, firstTurn);
  const system = outline.system === undefined ? [] : [outline.system];
  const { input = 0, output = 0 } = model?.prices ?? {};
  return {
    ...priceNatively(native, cachePriceOf(model, outline)),
    output: input > 0 ? output / input : outputUsual,
    listTokens: tokensOf(tools),
    headTokens: tokensOf([...system, ...head]),
  };
}

type CachePrice = Pick<PlanPrice, 'cacheRead' | 'cacheWrite' | 'cachedTokensMin'>;
const uncached: CachePrice = { cacheRead: null, cacheWrite: null, cachedTokensMin: 0 };

/**
 * In the providers' own ways: what is found of the deferred stands at the end of the context, cached or not, so that nothing is gained by
 * growing the list; of what is only restricted all stays in the prompt, so that growing what may be called rewrites nothing.
 */
function priceNatively(way: NativeSelection['mode'] | undefined, price: CachePrice): CachePrice {
  if (way === undefined) return price;
  if (way === 'allowed') return uncached;
  return { cacheRead: price.cacheRead ?? 1, cacheWrite: price.cacheWrite ?? 1, cachedTokensMin: 0 };
}

/** Where the provider caches what the request marks, a request without marks is not cached. */
function cachePriceOf(model: CatalogModel | undefined, outline: RequestOutline): CachePrice {
  const cache = model?.cache ?? null;
  const isCached = cache?.kind === 'automatic' || (cache?.kind === 'explicit' && isMarked(outline));
  if (cache === null || !isCached || cache.readMultiplier === null) return uncached;
  return {
    cacheRead: cache.readMultiplier,
    cacheWrite: cache.writeMultiplier ?? 1,
    cachedTokensMin: cache.minTokens ?? cachedTokensMin,
  };
}

function isMarked({ system, tools, messages }: RequestOutline): boolean {
  return [...(system === undefined ? [] : [system]), ...tools, ...messages].some(
    ({ cacheControl }) => cacheControl,
  );
}

function tokensOf(parts: readonly { readonly range: { start: number; end: number } }[]): number {
  const bytes = parts.reduce((sum, { range }) => sum + range.end - range.start, 0);
  return Math.ceil(bytes / charactersPerToken);
}
