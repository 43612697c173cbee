import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asObject, asTokens, optional } from '../json/read-members.ts';

/**
 * Reads `usage`. `tokens` are what the model read and wrote, Cohere's own preamble and the cached ones included;
 * `billed_units` are fewer. Undefined when there are no counts.
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
