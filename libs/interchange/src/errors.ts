/** An error that is safe to show to a caller, before a format renders it. */
export interface PublicError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  /** The wrong request field, in the caller's spelling. */
  readonly param: string | null;
  readonly source: 'gateway' | 'provider';
}

/** An error from a provider. Its text is not redacted yet. */
export interface ProviderError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  /** Delay before a retry, if the body of the response states one. */
  readonly retryAfterMs?: number;
}
