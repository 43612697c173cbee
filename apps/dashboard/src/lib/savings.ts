import { formatShare, formatTokens } from './format.ts';

/**
 * The saved tokens of one request or of several requests. Null if the number of saved tokens is unknown.
 */
export interface Savings {
  readonly tool_tokens_saved: number | null;
  readonly compression_tokens_saved: number | null;
  readonly recovery_tokens: number | null;
}

/**
 * The measured net number of saved tokens. The net number is the tokens of pruned definitions (counted with a
 * tokenizer), plus the tokens saved by compression, minus the tokens of recovery rounds. The net number is negative
 * if recovery cost more tokens than pruning and compression saved. Every page shows the net number as “Tokens saved”.
 * The billing unit is a different figure (`net_tokens_saved`).
 */
export function sumTokensSaved(savings: Savings): number | null {
  const { tool_tokens_saved: tools, compression_tokens_saved: compression } = savings;
  const { recovery_tokens: recovery } = savings;
  return tools === null || compression === null || recovery === null ? null : tools + compression - recovery;
}

/** The parts that add up to the number of saved tokens. */
export function describeTokensSaved(savings: Savings): string {
  const { tool_tokens_saved: tools, compression_tokens_saved: compression } = savings;
  const { recovery_tokens: recovery } = savings;
  if (tools === null) return 'not measured';
  const rounds = recovery === null || recovery === 0 ? '' : `, less ${formatTokens(recovery)} of recovery`;
  return `measured: ${formatTokens(tools)} by pruning, ${formatTokens(compression)} by compression${rounds}`;
}

/**
 * The share of the input tokens that the gateway saved. Null if the share is unknown, or if there were no tokens. The
 * saved share is approximate, because each provider counts with its own tokenizer.
 */
export function shareSaved(savings: Savings, promptTokens: number | null): number | null {
  const saved = sumTokensSaved(savings);
  if (saved === null || promptTokens === null || promptTokens + saved <= 0) return null;
  return saved / (promptTokens + saved);
}

/** The saved share as a part of a hint, or an empty string if the share is unknown. */
export function describeSavedShare(savings: Savings, promptTokens: number | null): string {
  const share = shareSaved(savings, promptTokens);
  return share === null ? '' : `about ${formatShare(share)} of the input; `;
}

export const meaningOfBilled =
  'billing unit, not a measurement: 100 tokens per pruned tool, plus compression, less recovery rounds';
