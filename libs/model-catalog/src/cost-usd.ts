import type { TokenUsage } from '@gateway/interchange';
import type { ModelPrices } from './catalog-file.ts';

type Rates = Omit<ModelPrices, 'tiers'>;

/**
 * What a call costs, in USD. With prices in USD per million tokens, `cached` the input tokens read from the prompt
 * cache and `written` those written to it (both are part of the input), and `reasoning` those of the output:
 *
 *     ((input − cached − written) × price.input + cached × price.cacheRead + written × price.cacheWrite
 *      + (output − reasoning) × price.output + reasoning × price.reasoning) / 1,000,000
 *
 * A price that the provider does not name is that of plain input (`cacheRead`, `cacheWrite`) or output (`reasoning`).
 * Where prices are tiered, the highest tier that the input exceeds is the price of the whole request.
 *
 * A provider that says what it charges for is taken at its word: then it is that input and output alone.
 *
 * Null when the model's prices are not known. Parts that exceed their whole (a provider's miscount) are cut to it.
 */
export function costUsd(model: { readonly prices: ModelPrices | null }, usage: TokenUsage): number | null {
  if (model.prices === null) return null;
  const rates = chooseRates(model.prices, usage.inputTokens);
  if (usage.billedInputTokens !== undefined) {
    const billedOutput = usage.billedOutputTokens ?? usage.outputTokens;
    return (usage.billedInputTokens * rates.input + billedOutput * rates.output) / 1_000_000;
  }
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - cached);
  const reasoning = Math.min(usage.reasoningTokens ?? 0, usage.outputTokens);
  return (
    ((usage.inputTokens - cached - written) * rates.input +
      cached * (rates.cacheRead ?? rates.input) +
      written * (rates.cacheWrite ?? rates.input) +
      (usage.outputTokens - reasoning) * rates.output +
      reasoning * (rates.reasoning ?? rates.output)) /
    1_000_000
  );
}

function chooseRates(prices: ModelPrices, inputTokens: number): Rates {
  return prices.tiers?.findLast((tier) => inputTokens > tier.aboveInputTokens) ?? prices;
}
