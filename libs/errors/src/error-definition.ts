/** Who is to blame, in the words of the OpenAI and Anthropic error types. */
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
  /** HTTP status of the answer. */
  readonly status: number;
  readonly type: ErrorType;
  /** Text for the caller when the place that throws has nothing better to say. Never holds internal detail. */
  readonly message: string;
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable: boolean;
}
