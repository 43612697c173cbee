import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asObject, asTokens, optional, type Draft } from '../../json/read-members.ts';

/**
 * Parses token usage. Anthropic's `input_tokens` excludes cached input, so the cached tokens are added to the
 * input tokens. Returns undefined if there are no token counts.
 */
export function parseUsage(usage: JsonObject): TokenUsage | undefined {
  const fresh = asTokens(usage.input_tokens);
  const outputTokens = asTokens(usage.output_tokens);
  if (fresh === undefined && outputTokens === undefined) return undefined;
  const cachedInputTokens = asTokens(usage.cache_read_input_tokens);
  const cacheWriteTokens = asTokens(usage.cache_creation_input_tokens);
  const reasoningTokens = asTokens(asObject(usage.output_tokens_details)?.thinking_tokens);
  const counts: Draft<TokenUsage> = {
    inputTokens: (fresh ?? 0) + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: outputTokens ?? 0,
  };
  if (cachedInputTokens !== undefined) counts.cachedInputTokens = cachedInputTokens;
  if (cacheWriteTokens !== undefined) counts.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) counts.reasoningTokens = reasoningTokens;
  return counts;
}

/**
 * Subtracts cached input from `input_tokens`. Cached input is limited to the total input, because some
 * providers report a higher count.
 */
export function renderUsage(usage: TokenUsage): JsonObject {
  const { inputTokens, outputTokens, reasoningTokens } = usage;
  const read = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, inputTokens - read);
  return {
    input_tokens: inputTokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: outputTokens,
    ...optional('output_tokens_details', { ...optional('thinking_tokens', reasoningTokens) }),
  };
}
