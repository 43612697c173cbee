import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asNumber, asObject, optional } from '../json/read-members.ts';

/**
 * Reads `usage`. `tokens` are what the model read and wrote, Cohere's own preamble and the cached ones included;
 * `billed_units` are fewer. Undefined when there are no counts.
 */
export function parseUsage(raw: JsonObject): TokenUsage | undefined {
  const tokens = asObject(raw.tokens) ?? {};
  const billed = asObject(raw.billed_units) ?? {};
  const inputTokens = asNumber(tokens.input_tokens) ?? asNumber(billed.input_tokens);
  const outputTokens = asNumber(tokens.output_tokens) ?? asNumber(billed.output_tokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...optional('cachedInputTokens', asNumber(raw.cached_tokens)),
    ...optional('reasoningTokens', asNumber(tokens.reasoning_tokens)),
    ...optional('billedInputTokens', asNumber(billed.input_tokens)),
    ...optional('billedOutputTokens', asNumber(billed.output_tokens)),
  };
}
