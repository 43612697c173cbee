import type { JsonObject, TokenUsage } from '@gateway/interchange';
import { asNumber, optional } from '../json/read-members.ts';

/**
 * Reads `usageMetadata`. Cached tokens are part of the prompt's; thoughts are billed as output and are not part of the
 * candidates'; the results of Google's own tools are billed as input, and are not part of the prompt's. (In all
 * recordings the total is the sum of the four.) Undefined when there are no counts.
 */
export function parseUsage(raw: JsonObject): TokenUsage | undefined {
  const prompt = asNumber(raw.promptTokenCount);
  const candidates = asNumber(raw.candidatesTokenCount);
  const thoughts = asNumber(raw.thoughtsTokenCount);
  if (prompt === undefined && candidates === undefined) return undefined;
  return {
    inputTokens: (prompt ?? 0) + (asNumber(raw.toolUsePromptTokenCount) ?? 0),
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
    ...optional('cachedInputTokens', asNumber(raw.cachedContentTokenCount)),
    ...optional('reasoningTokens', thoughts),
  };
}
