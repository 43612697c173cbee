import type { TokenUsage } from '@gateway/interchange';
import { chooseRates, type ModelPrices } from './prices.ts';

/**
 * Computes the cost of a request in USD. Prices are in USD per million tokens. `cached` is the number of
 * input tokens read from the prompt cache. `written` is the number of input tokens written to the prompt
 * cache. `input` includes `cached` and `written`. `output` includes `reasoning`. The formula is
 *
 *     ((input − cached − written) × price.input + cached × price.cacheRead + written × price.cacheWrite
 *      + (output − reasoning) × price.output + reasoning × price.reasoning) / 1,000,000.
 *
 * If the price `cacheRead` or `cacheWrite` is absent, the input price applies. If the price `reasoning` is
 * absent, the output price applies. The highest tier with a bound below the input applies to the whole
 * request. If prices depend on the time, the prices at the time of the request apply.
 *
 * If the provider reports billed tokens, the cost depends only on the billed tokens.
 *
 * Returns null if the model's prices are unknown. If a provider reports more cached and written tokens than
 * input tokens, or more reasoning than output tokens, the excess is ignored.
 * @param at the time of the request, as Unix time in milliseconds
 */
export function costUsd(
  model: { readonly prices: ModelPrices | null },
  usage: TokenUsage,
  at: number,
): number | null {
  if (model.prices === null) return null;
  const rates = chooseRates(model.prices, usage.inputTokens, at);
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
