import type { RequestEventV1 } from '@gateway/contracts';
import { tokensSaved } from '@gateway/contracts';
import type { TokenUsage } from '@gateway/interchange';
import type { CatalogModel, ModelCatalog } from '@gateway/model-catalog';
import { costUsd, pricesAt } from '@gateway/model-catalog';
import { charactersPerToken } from '../../../request/token-estimates.ts';
import type { AbandonedCall, Attempts } from '../../exchange/attempt.ts';

/** The inputs, in addition to the usage event, that determine the price of a request's savings. */
export interface PricedRequest {
  readonly model: CatalogModel | undefined;
  readonly usage: TokenUsage;
  /**
   * Usage of each provider call, if there were recovery rounds. The last provider call produced the response
   * to the client.
   */
  readonly rounds: readonly TokenUsage[];
  /** Whether the last provider call sent every tool because the recovery rounds ended without a response. */
  readonly hasEveryTool: boolean;
  /** Cost of rewriting the prompt cache because compression changed earlier messages, in USD. */
  readonly contextRewrittenUsd: number;
  /** Whether the gateway added cache markers. Without cache markers, the provider would not cache the prompt. */
  readonly isMarked: boolean;
  /**
   * Time at which the request was accepted, as Unix time in milliseconds. The model's prices at the time of
   * acceptance apply to the request.
   */
  readonly at: number;
}

/** Value of the tokens that a request saved, in USD. */
interface PricedSavings {
  /**
   * Value of the saved tokens at the request's mean input price, plus the savings from the gateway's cache markers.
   * A measured number of pruned tokens takes precedence over an estimate.
   */
  readonly grossUsd: number;
  /**
   * Gross savings minus cache rewrites, cache writes due to the gateway's markers, and recovery rounds. The
   * net amount is negative if the optimizations cost more than they saved.
   */
  readonly netUsd: number;
}

/**
 * Calculates in USD how much pruning and compression have saved, with and without their costs. Returns null if the
 * prices are unknown, or if the request was not served. `net = saved tokens × mean price of this request's input −
 * prompt cache rewrites − recovery + cache markers`. The mean price includes cheap cached input, so saved tokens are
 * worth little if most input was cached. After recovery rounds, only the mean price of the first round is used,
 * because the provider would have read the input only once without pruning. If the tool set differs from earlier
 * requests, all prefix tokens that were not read from the cache count as a cost.
 */
export function priceSavings(
  event: Pick<
    RequestEventV1,
    | 'status'
    | 'usage'
    | 'toolsIn'
    | 'toolsOut'
    | 'compressionSteps'
    | 'plan'
    | 'toolTokensSaved'
    | 'recoveryTokens'
  >,
  { model, usage, rounds, hasEveryTool, contextRewrittenUsd, isMarked, at }: PricedRequest,
): PricedSavings | null {
  if (model?.prices == null || event.usage === null || event.status === 'error') return null;
  const first = rounds[0] ?? usage;
  const inputUsd = costUsd(model, inputOf(first), at);
  if (inputUsd === null) return null;
  const saved = tokensSaved(event);
  const meanUsd = first.inputTokens === 0 ? 0 : inputUsd / first.inputTokens;
  const grownUsd = isRewritten(event.plan) ? priceRewrite(model, first, at) : 0;
  const calls = rounds.length === 0 ? [usage] : rounds;
  const cache = isMarked ? priceMarkers(calls, (call) => costUsd(model, call, at) ?? 0) : noMarkers;
  const grossUsd = ((event.toolTokensSaved ?? saved.tools) + saved.compression) * meanUsd + cache.readUsd;
  const recoveryUsd = priceRecovery(rounds, hasEveryTool, (call) => costUsd(model, call, at) ?? 0);
  const netUsd = grossUsd - contextRewrittenUsd - grownUsd - recoveryUsd - cache.writtenUsd;
  return { grossUsd: round(grossUsd), netUsd: round(netUsd) };
}

/**
 * Returns the cost of recovery, which is the cost of all provider calls beyond the single call that every request
 * needs. A single call without recovery would read the first recovery round's input and write the final response.
 * This call is assumed to read as many tokens from the prompt cache as the first recovery round. If the last
 * provider call included every tool, the cost of recovery does not include the last call.
 */
function priceRecovery(
  rounds: readonly TokenUsage[],
  hasEveryTool: boolean,
  price: (usage: TokenUsage) => number,
): number {
  const [first, last] = [rounds[0], rounds.at(-1)];
  if (first === undefined || last === undefined || rounds.length < 2) return 0;
  const allUsd = rounds.reduce((sum, usage) => sum + price(usage), 0);
  const outputUsd = price(last) - price(inputOf(last));
  const singleUsd = hasEveryTool ? price(last) : price(inputOf(first)) + outputUsd;
  return Math.max(0, allUsd - singleUsd);
}

const noMarkers = { readUsd: 0, writtenUsd: 0 };

/**
 * Returns the savings of cache reads and the extra cost of cache writes, both compared with uncached input.
 * Without cache markers, the provider would not have cached any input.
 */
function priceMarkers(
  calls: readonly TokenUsage[],
  price: (usage: TokenUsage) => number,
): { readonly readUsd: number; readonly writtenUsd: number } {
  let [readUsd, writtenUsd] = [0, 0];
  for (const call of calls) {
    const own = inputOf(call);
    readUsd += price({ ...own, cachedInputTokens: 0 }) - price(own);
    writtenUsd += price(own) - price({ ...own, cacheWriteTokens: 0 });
  }
  return { readUsd, writtenUsd };
}

/** Returns whether the sent tool list differs from the list in earlier requests of the conversation. */
function isRewritten(plan: RequestEventV1['plan']): boolean {
  return plan?.kReason === 'grown' || plan?.kReason === 'decided';
}

/** Returns the usage without output tokens, for calculating the price of the input. */
function inputOf(usage: TokenUsage): TokenUsage {
  const billed = usage.billedInputTokens === undefined ? {} : { billedOutputTokens: 0 };
  return { ...usage, outputTokens: 0, reasoningTokens: 0, ...billed };
}

function round(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/**
 * Returns the extra cost of input that was not read from the prompt cache. The extra cost is the price of
 * the uncached input minus the price of a cache read of the same tokens.
 */
function priceRewrite({ prices, cache }: CatalogModel, usage: TokenUsage, at: number): number {
  if (prices === null || cache === null || cache.kind === 'none') return 0;
  const { input, cacheWrite: write = input, cacheRead: read = input } = pricesAt(prices, at);
  const tokens = Math.max(0, usage.inputTokens - (usage.cachedInputTokens ?? 0));
  return (tokens * Math.max(0, write - read)) / 1_000_000;
}

type Usage = NonNullable<RequestEventV1['usage']>;

const tokensOf = ({ bytes }: AbandonedCall): number => Math.ceil(bytes / charactersPerToken);

/**
 * Adds the estimated input tokens of cancelled hedged calls, because providers do not report these tokens.
 */
export function addAbandonedTokens(usage: Usage, { abandoned }: Pick<Attempts, 'abandoned'>): Usage {
  if (abandoned.length === 0) return usage;
  const tokens = abandoned.reduce((sum, call) => sum + tokensOf(call), 0);
  return { ...usage, inputTokens: usage.inputTokens + tokens, estimated: true };
}

/**
 * Adds the cost of cancelled hedged calls, each at the price of the called model. Returns null if any price is
 * unknown.
 * @param at Unix time in milliseconds at which the request was accepted
 */
export function addAbandonedCost(
  cost: number | null,
  { abandoned }: Pick<Attempts, 'abandoned'>,
  catalog: ModelCatalog,
  at: number,
): number | null {
  return abandoned.reduce<number | null>((sum, call) => {
    const model = catalog.find(call.provider, call.model);
    const own = model ? costUsd(model, { inputTokens: tokensOf(call), outputTokens: 0 }, at) : null;
    return sum === null || own === null ? null : sum + own;
  }, cost);
}
