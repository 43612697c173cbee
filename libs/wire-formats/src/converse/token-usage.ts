import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asNumber, optional } from '../json/read-members.ts';

/** The format counts cached tokens, read and written, apart from `inputTokens`. Undefined when there are no counts. */
export function parseUsage(usage: JsonObject): TokenUsage | undefined {
  const inputTokens = asNumber(usage.inputTokens);
  if (inputTokens === undefined) return undefined;
  const read = asNumber(usage.cacheReadInputTokens);
  const written = asNumber(usage.cacheWriteInputTokens);
  return {
    inputTokens: inputTokens + (read ?? 0) + (written ?? 0),
    outputTokens: asNumber(usage.outputTokens) ?? 0,
    ...optional('cachedInputTokens', read),
    ...optional('cacheWriteTokens', written),
  };
}

export function renderUsage(usage: TokenUsage): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  return {
    inputTokens: Math.max(0, inputTokens - (cachedInputTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...optional('cacheReadInputTokens', cachedInputTokens),
    ...optional('cacheWriteInputTokens', cacheWriteTokens),
  };
}
