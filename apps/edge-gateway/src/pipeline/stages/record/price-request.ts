import type { RequestEventV1 } from '@gateway/contracts';
import { tokensSaved } from '@gateway/contracts';
import type { TokenUsage } from '@gateway/interchange';
import type { CatalogModel, ModelCatalog } from '@gateway/model-catalog';
import { costUsd } from '@gateway/model-catalog';
import { charactersPerToken } from '../../../request/token-estimates.ts';
import type { AbandonedCall, Attempts } from '../../exchange/attempt.ts';

/** What prices a request's savings, beside its event. */
export interface PricedRequest {
  readonly model: CatalogModel | undefined;
  readonly usage: TokenUsage;
  /** Of each round, where there were hidden ones: the client's own answer is the last. */
  readonly rounds: readonly TokenUsage[];
  /** What was written to the prompt cache once more because the conversation went out in other words than before. */
  readonly contextRewrittenUsd: number;
}

/** In USD. */
interface PricedSavings {
  /** Saved tokens at the mean price of the request's input. */
  readonly grossUsd: number;
  /** Less what was rewritten in the prompt cache, and less hidden rounds; negative where it cost more than it saved. */
  readonly netUsd: number;
}

/**
 * What leaving out and compressing saved of this request's bill, in USD, before and after what it cost. Null
 * where prices are not known or the request was not served.
 *
 *     saved tokens × the mean price of this request's input − what was rewritten in the prompt cache − hidden rounds
 *
 * The mean price is of what was billed: what is read from the cache is worth little, so leaving it out saves little. A
 * request whose set grew pays for its prefix anew, as far as it was not read from the cache: all of that is counted
 * against it, though some of it is new.
 */
export function priceSavings(
  event: Pick<RequestEventV1, 'status' | 'usage' | 'toolsIn' | 'toolsOut' | 'compressionSteps' | 'plan'>,
  { model, usage, rounds, contextRewrittenUsd }: PricedRequest,
): PricedSavings | null {
  if (model?.prices == null || event.usage === null || event.status === 'error') return null;
  const input = { ...usage, outputTokens: 0, reasoningTokens: 0 };
  const inputUsd = costUsd(model, input);
  if (inputUsd === null) return null;
  const saved = tokensSaved(event);
  const meanUsd = usage.inputTokens === 0 ? 0 : inputUsd / usage.inputTokens;
  const hiddenUsd = rounds.slice(0, -1).reduce((sum, round) => sum + (costUsd(model, round) ?? 0), 0);
  const grownUsd = event.plan?.kReason === 'grown' ? priceRewrite(model, usage) : 0;
  const grossUsd = (saved.tools + saved.compression) * meanUsd;
  const netUsd = grossUsd - contextRewrittenUsd - grownUsd - hiddenUsd;
  return { grossUsd: round(grossUsd), netUsd: round(netUsd) };
}

function round(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/** What was not read from the cache, by how much dearer it is than reading. */
function priceRewrite({ prices, cache }: CatalogModel, usage: TokenUsage): number {
  if (prices === null || cache === null || cache.kind === 'none') return 0;
  const write = prices.cacheWrite ?? prices.input;
  const read = prices.cacheRead ?? prices.input;
  const tokens = Math.max(0, usage.inputTokens - (usage.cachedInputTokens ?? 0));
  return (tokens * Math.max(0, write - read)) / 1_000_000;
}

type Usage = NonNullable<RequestEventV1['usage']>;

const tokensOf = ({ bytes }: AbandonedCall): number => Math.ceil(bytes / charactersPerToken);

/** With what calls read that were ended for another one's answer: estimated, since nobody tells it of them. */
export function addAbandonedTokens(usage: Usage, { abandoned }: Pick<Attempts, 'abandoned'>): Usage {
  if (abandoned.length === 0) return usage;
  const tokens = abandoned.reduce((sum, call) => sum + tokensOf(call), 0);
  return { ...usage, inputTokens: usage.inputTokens + tokens, estimated: true };
}

/** The same in money, each at its own model's price; null where a price is not known. */
export function addAbandonedCost(
  cost: number | null,
  { abandoned }: Pick<Attempts, 'abandoned'>,
  catalog: ModelCatalog,
): number | null {
  return abandoned.reduce<number | null>((sum, call) => {
    const model = catalog.find(call.provider, call.model);
    const own = model ? costUsd(model, { inputTokens: tokensOf(call), outputTokens: 0 }) : null;
    return sum === null || own === null ? null : sum + own;
  }, cost);
}
