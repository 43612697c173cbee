import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asTokens, optional } from '../json/read-members.ts';

/**
 * Reads `usageMetadata`. Cached tokens are part of the prompt's; thoughts are billed as output and are not part of the
 * candidates'; the results of Google's own tools are billed as input, and are not part of the prompt's. (In all
 * recordings the total is the sum of the four.) Undefined when there are no counts.
 */
export function parseUsage(raw: JsonObject): TokenUsage | undefined {
  const prompt = asTokens(raw.promptTokenCount);
  const candidates = asTokens(raw.candidatesTokenCount);
  const thoughts = asTokens(raw.thoughtsTokenCount);
  if (prompt === undefined && candidates === undefined) return undefined;
  return {
    inputTokens: (prompt ?? 0) + (asTokens(raw.toolUsePromptTokenCount) ?? 0),
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
    ...optional('cachedInputTokens', asTokens(raw.cachedContentTokenCount)),
    ...optional('reasoningTokens', thoughts),
  };
}
