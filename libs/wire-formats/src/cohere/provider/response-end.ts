import type { FinishReason, JsonObject, TokenUsage } from '@gateway/interchange';
import { asObject, asTokens, optional } from '../../json/read-members.ts';

export function mapFinishReason(raw: string): FinishReason {
  switch (raw) {
    case 'COMPLETE':
    case 'STOP_SEQUENCE':
      return 'stop';
    case 'MAX_TOKENS':
      return 'length';
    case 'TOOL_CALL':
      return 'tool-calls';
    case 'ERROR_TOXIC':
      return 'content-filter';
    case 'ERROR':
    case 'TIMEOUT':
      return 'error';
    default:
      return 'other';
  }
}

/**
 * Parses `usage`. `tokens` counts every token the model processed, including Cohere's own preamble and cached
 * tokens. The counts in `billed_units` are lower than the counts in `tokens`. Returns undefined if `usage`
 * contains no counts.
 */
export function parseUsage(raw: JsonObject): TokenUsage | undefined {
  const tokens = asObject(raw.tokens) ?? {};
  const billed = asObject(raw.billed_units) ?? {};
  const inputTokens = asTokens(tokens.input_tokens) ?? asTokens(billed.input_tokens);
  const outputTokens = asTokens(tokens.output_tokens) ?? asTokens(billed.output_tokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...optional('cachedInputTokens', asTokens(raw.cached_tokens)),
    ...optional('reasoningTokens', asTokens(tokens.reasoning_tokens)),
    ...optional('billedInputTokens', asTokens(billed.input_tokens)),
    ...optional('billedOutputTokens', asTokens(billed.output_tokens)),
  };
}
