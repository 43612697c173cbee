import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asObject, asTokens, optional, type Draft } from '../../json/read-members.ts';

/**
 * Reads token counts from the fields used by OpenAI and compatible providers. Returns undefined if the fields
 * contain no counts.
 */
export function parseUsage(usage: JsonObject): TokenUsage | undefined {
  const inputTokens = asTokens(usage.prompt_tokens);
  const completionTokens = asTokens(usage.completion_tokens) ?? 0;
  if (inputTokens === undefined) return undefined;
  const input = asObject(usage.prompt_tokens_details) ?? {};
  const output = asObject(usage.completion_tokens_details) ?? {};
  const cached = readCached(usage, input);
  const written = asTokens(input.cache_write_tokens) ?? asTokens(usage.cache_creation_input_tokens);
  const reasoning = asTokens(output.reasoning_tokens) ?? asTokens(usage.reasoning_tokens);
  const outputTokens = completionTokens + uncountedReasoning(usage, inputTokens, completionTokens, reasoning);
  const counts: Draft<TokenUsage> = { inputTokens, outputTokens };
  if (cached !== undefined) counts.cachedInputTokens = cached;
  if (written !== undefined) counts.cacheWriteTokens = written;
  if (reasoning !== undefined) counts.reasoningTokens = reasoning;
  return counts;
}

/**
 * Fields for the number of cached tokens, as named by OpenAI, DeepSeek, Moonshot, Anthropic and vLLM (in this order).
 */
function readCached(usage: JsonObject, details: JsonObject): number | undefined {
  return (
    asTokens(details.cached_tokens) ??
    asTokens(usage.prompt_cache_hit_tokens) ??
    asTokens(usage.cached_tokens) ??
    asTokens(usage.cache_read_input_tokens) ??
    asTokens(usage.num_cached_tokens)
  );
}

/**
 * xAI bills reasoning as output but excludes reasoning from `completion_tokens`. Only `total_tokens` includes
 * reasoning tokens.
 */
function uncountedReasoning(usage: JsonObject, input: number, completion: number, reasoning = 0): number {
  return asTokens(usage.total_tokens) === input + completion + reasoning ? reasoning : 0;
}

export function renderUsage(usage: TokenUsage): JsonObject {
  const input = {
    ...optional('cached_tokens', usage.cachedInputTokens),
    ...optional('cache_write_tokens', usage.cacheWriteTokens),
  };
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...optional('prompt_tokens_details', input),
    ...optional('completion_tokens_details', { ...optional('reasoning_tokens', usage.reasoningTokens) }),
  };
}
