import { formatUsd } from './format.ts';
import { sumTokensSaved, type Savings } from './savings.ts';

/**
 * Prices for accounts that use only the sandbox, in USD per million tokens. The sandbox is free, so every amount would
 * be $0. These are OpenAI's list prices for GPT-4o (see the model catalog).
 */
const notionalPrices = { input: 2.5, output: 10 } as const;
const perToken = 1_000_000;

/** The label of amounts at notional prices. */
export const meaningOfNotional = `notional: the sandbox is free; ${formatUsd(notionalPrices.input)} per million input tokens, ${formatUsd(notionalPrices.output)} per million output tokens`;

interface Used extends Savings {
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
}

/** Whether all requests of the period with a known provider used the sandbox. */
export function isSandboxOnly(models: readonly { readonly provider: string }[] | null): boolean {
  return models !== null && models.length > 0 && models.every(({ provider }) => provider === 'sandbox');
}

/** Returns the figures with amounts at notional prices. An amount is null if its number of tokens is unknown. */
export function priceNotionally<Figures extends Used>(figures: Figures): Figures {
  const { prompt_tokens: input, completion_tokens: output } = figures;
  const { tool_tokens_saved: tools, compression_tokens_saved: compression } = figures;
  const gross = tools === null || compression === null ? null : tools + compression;
  const net = sumTokensSaved(figures);
  return {
    ...figures,
    cost_usd: input === null || output === null ? null : toUsd(input, 'input') + toUsd(output, 'output'),
    gross_savings_usd: gross === null ? null : toUsd(gross, 'input'),
    provider_savings_usd: net === null ? null : toUsd(net, 'input'),
  };
}

const toUsd = (tokens: number, kind: keyof typeof notionalPrices) =>
  (tokens * notionalPrices[kind]) / perToken;
