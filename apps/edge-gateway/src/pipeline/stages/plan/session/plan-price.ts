import type { PlanPrice } from '@gateway/contracts';
import type { RequestOutline, ToolOutline } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import { charactersPerToken } from '../../../characters-per-token.ts';

/** The shortest prefix that providers cache, where the catalogue does not know it. */
const cachedTokensMin = 1_024;
/** What output costs against input, where prices are not known: the usual for chat models. */
const outputUsual = 4;

/**
 * What tokens cost where the request goes. It has to be the same in every turn of a session, so it is estimated by a fixed
 * ratio, and of the conversation it counts what stands before the model's first turn alone.
 * @param isRestricted all tools stay in the prompt, so that choosing others rewrites no cache: as where there is none.
 */
export function priceOf(
  model: CatalogModel | undefined,
  tools: readonly ToolOutline[],
  outline: RequestOutline,
  isRestricted = false,
): PlanPrice {
  const firstTurn = outline.messages.findIndex(({ role }) => role === 'assistant');
  const head = firstTurn < 0 ? outline.messages : outline.messages.slice(0, firstTurn);
  const system = outline.system === undefined ? [] : [outline.system];
  const { input = 0, output = 0 } = model?.prices ?? {};
  return {
    ...(isRestricted ? uncached : cachePriceOf(model, outline)),
    output: input > 0 ? output / input : outputUsual,
    listTokens: tokensOf(tools),
    headTokens: tokensOf([...system, ...head]),
  };
}

const uncached = { cacheRead: null, cacheWrite: null, cachedTokensMin: 0 } as const;

/** Where the provider caches what the request marks, a request without marks is not cached. */
function cachePriceOf(
  model: CatalogModel | undefined,
  outline: RequestOutline,
): Pick<PlanPrice, 'cacheRead' | 'cacheWrite' | 'cachedTokensMin'> {
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
