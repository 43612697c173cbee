/** Tokens as the provider counted them. `inputTokens` includes the cached ones, read and written. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
  /** Input tokens written to the provider's prompt cache. */
  readonly cacheWriteTokens?: number;
  /** Output tokens spent on reasoning. */
  readonly reasoningTokens?: number;
  /** What the provider charges for, where it says that it is less than what was read and written. */
  readonly billedInputTokens?: number;
  readonly billedOutputTokens?: number;
}
