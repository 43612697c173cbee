/** An error as it may be shown to a caller, before a format gives it its shape. */
export interface PublicError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  /** The request field at fault, in the caller's spelling. */
  readonly param: string | null;
  readonly source: 'gateway' | 'provider';
}

/** What a provider said of its own failure. Its text is not yet redacted. */
export interface ProviderError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  /** When to try again, where the provider says it in the body. */
  readonly retryAfterMs?: number;
}
