import type { JsonObject } from '@gateway/interchange';

/** The answer to `POST /v1/messages/count_tokens`. */
export function renderTokenCount(inputTokens: number): JsonObject {
  return { input_tokens: inputTokens };
}
