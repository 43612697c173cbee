import type { FinishReason, JsonObject, TokenUsage } from '@gateway/interchange';
import { asTokens, optional } from '../../json/read-members.ts';

/** Maps `stopReason` values from the Converse API and the underlying models. */
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

/** Maps a finish reason to a `stopReason` value that the AWS SDK's types define. */
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

/**
 * Parses token usage. In the Converse format, `inputTokens` excludes tokens read from and written to the
 * cache. Returns undefined if there are no token counts.
 */
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

/**
 * Limits cached tokens to the number of input tokens, because some providers report more cached tokens than
 * input tokens.
 */
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
