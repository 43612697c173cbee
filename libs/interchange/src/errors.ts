/** An error that is safe to show to a caller and is not yet rendered in any format. */
export interface PublicError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  /** The invalid request field, as the caller spelled it. */
  readonly param: string | null;
  readonly source: 'gateway' | 'provider';
  /** The path and anchor of the error's documentation page. Absent for provider errors. */
  readonly docsUrl?: string;
}

/** An error that a provider returned. The error text has not been redacted yet. */
export interface ProviderError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  /** Delay before a retry, in milliseconds, if the response body specifies a delay. */
  readonly retryAfterMs?: number;
}
