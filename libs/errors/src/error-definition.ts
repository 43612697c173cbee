/**
 * The error types that OpenAI and Anthropic use. The error type indicates whether the caller or the server
 * must act.
 */
export type ErrorType =
  | 'authentication_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'billing_error'
  | 'api_error'
  | 'overloaded_error';

export interface ErrorDefinition {
  /** The HTTP status of the response. */
  readonly status: number;
  readonly type: ErrorType;
  /**
   * Public text for errors thrown without a more specific text. The public text never contains internal
   * details.
   */
  readonly message: string;
  /** Whether retrying the unchanged call may succeed. */
  readonly retryable: boolean;
}
