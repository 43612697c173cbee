/** What a provider said of its own failure. Its text is not yet redacted. */
export interface ProviderError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  /** When to try again, where the provider says it in the body. */
  readonly retryAfterMs?: number;
}
