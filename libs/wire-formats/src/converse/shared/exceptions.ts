import type { PublicError } from '@gateway/interchange';

/** The error properties that determine the AWS exception. */
export type ErrorKind = Pick<PublicError, 'status' | 'code' | 'source'>;

/**
 * Maps an error to a Bedrock runtime exception. An error from a provider that uses the Converse format
 * already names an exception. The status, or the name of a throttling exception, determines whether the AWS
 * SDK retries a request.
 */
export function mapToException({ status, code, source }: ErrorKind): string {
  if (source === 'provider' && code !== null && exceptionName.test(code)) return capitalize(code);
  if (code === 'upstream_timeout') return 'ModelTimeoutException';
  switch (status) {
    case 401:
    case 403:
      return 'AccessDeniedException';
    case 402:
      return 'ServiceQuotaExceededException';
    case 404:
      return 'ResourceNotFoundException';
    case 408:
      return 'ModelTimeoutException';
    case 409:
      return 'ConflictException';
    case 424:
      return 'ModelErrorException';
    case 429:
      return 'ThrottlingException';
    case 503:
    case 529:
      return 'ServiceUnavailableException';
    // Status 508 means that requests run in a loop, so a provider address must be changed.
    case 508:
      return 'ValidationException';
    default:
      return status >= 500 ? 'InternalServerException' : 'ValidationException';
  }
}

const exceptionName = /^[A-Za-z]{1,80}Exception$/;

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The exceptions that can end a stream. In a stream, the AWS SDK supports only the listed exceptions. */
const streamExceptions: Readonly<Record<string, string>> = {
  InternalServerException: 'internalServerException',
  ModelStreamErrorException: 'modelStreamErrorException',
  ServiceUnavailableException: 'serviceUnavailableException',
  ThrottlingException: 'throttlingException',
  ValidationException: 'validationException',
};

/** The field that holds an error in the AWS SDK's union type for stream events. */
export function mapToStreamException(error: ErrorKind): string {
  const name = mapToException(error);
  const known = streamExceptions[name];
  if (known !== undefined) return known;
  return error.status >= 500 || name.startsWith('Model')
    ? 'modelStreamErrorException'
    : 'validationException';
}

/** Maps a provider's exception to a gateway error type. Returns undefined for an unknown exception name. */
export function mapExceptionToType(name: string): string | undefined {
  switch (capitalize(name)) {
    case 'AccessDeniedException':
      return 'permission_error';
    case 'UnrecognizedClientException':
    case 'ExpiredTokenException':
    case 'InvalidSignatureException':
    case 'MissingAuthenticationTokenException':
      return 'authentication_error';
    case 'ResourceNotFoundException':
      return 'not_found_error';
    case 'ThrottlingException':
    case 'ServiceQuotaExceededException':
      return 'rate_limit_error';
    case 'ServiceUnavailableException':
    case 'ModelNotReadyException':
      return 'overloaded_error';
    case 'ValidationException':
    case 'ConflictException':
      return 'invalid_request_error';
    case 'InternalServerException':
    case 'ModelErrorException':
    case 'ModelStreamErrorException':
    case 'ModelTimeoutException':
      return 'api_error';
    default:
      return undefined;
  }
}
