import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asTokens, optional } from '../json/read-members.ts';

/** The format counts cached tokens, read and written, apart from `inputTokens`. Undefined when there are no counts. */
export function parseUsage(usage: JsonObject): TokenUsage | undefined {
  const inputTokens = asTokens(usage.inputTokens);
  if (inputTokens === undefined) return undefined;
  const read = asTokens(usage.cacheReadInputTokens);
  const written = asTokens(usage.cacheWriteInputTokens);
  return {
    inputTokens: inputTokens + (read ?? 0) + (written ?? 0),
    outputTokens: asTokens(usage.outputTokens) ?? 0,
    ...optional('cachedInputTokens', read),
    ...optional('cacheWriteTokens', written),
  };
}

/** Some providers of other formats tell more cached tokens than tokens: no more of them than fit are told on. */
export function renderUsage(usage: TokenUsage): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  const written = Math.min(cacheWriteTokens ?? 0, inputTokens);
  const read = Math.min(cachedInputTokens ?? 0, inputTokens - written);
  return {
    inputTokens: inputTokens - written - read,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(cachedInputTokens === undefined ? {} : { cacheReadInputTokens: read }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteInputTokens: written }),
  };
}
