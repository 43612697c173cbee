/** The error types of OpenAI and Anthropic. They state which side must act. */
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
  /** HTTP status of the response. */
  readonly status: number;
  readonly type: ErrorType;
  /** Public text if the code that throws has no more specific one. Never contains internal details. */
  readonly message: string;
  /** Whether the same call may succeed later without changes. */
  readonly retryable: boolean;
}
