import type { FinishReason, JsonObject, TokenUsage } from '@gateway/interchange';
import { asTokens, optional } from '../../json/read-members.ts';

/** The words of the Converse API's `stopReason`, and those that models behind it say themselves. */
export function mapStopReason(raw: string): FinishReason {
  switch (raw) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool-calls';
    case 'content_filtered':
    case 'guardrail_intervened':
      return 'content-filter';
    case 'refusal':
      return 'refusal';
    case 'pause_turn':
      return 'pause';
    case 'malformed_model_output':
    case 'malformed_tool_use':
      return 'error';
    default:
      return 'other';
  }
}

/** In words that the SDK's types know. */
export function mapToStopReason(reason: FinishReason): string {
  switch (reason) {
    case 'length':
      return 'max_tokens';
    case 'tool-calls':
      return 'tool_use';
    case 'content-filter':
    case 'refusal':
      return 'content_filtered';
    case 'error':
      return 'malformed_model_output';
    case 'stop':
    case 'pause':
    case 'other':
      return 'end_turn';
  }
}

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
