import type { PublicError } from '@gateway/interchange';

/** Returns Anthropic's error type for an HTTP status (Anthropic, "Errors"). */
export function mapStatusToErrorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'billing_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 409:
      return 'conflict_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    case 504:
      return 'timeout_error';
    case 529:
      return 'overloaded_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}

/** Anthropic error types that are more specific than the HTTP status. */
const specificTypes: readonly string[] = [
  'billing_error',
  'rate_limit_error',
  'overloaded_error',
  'timeout_error',
];

export function chooseErrorType({ type, status }: Pick<PublicError, 'type' | 'status'>): string {
  return specificTypes.includes(type) ? type : mapStatusToErrorType(status);
}
