/**
 * Maximum number of characters to forward from a provider's error message. Most error messages above this
 * length are HTML pages.
 */
const messageCharactersMax = 2000;

/**
 * Shortens the provider's error message. An empty message is replaced with a message that contains the status.
 */
export function boundMessage(message: string | undefined, status: number): string {
  return (message || `The provider answered with status ${status}.`).slice(0, messageCharactersMax);
}

/**
 * The error type that OpenAI and Anthropic use for an HTTP status. The gateway uses the mapped type if the
 * provider sends no error type.
 */
export function mapStatusToType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}

/**
 * Parses an error body. A body that is not JSON is used as the error message. For an HTML page, the message
 * is empty.
 */
export function parseErrorBody(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return { message: body.trimStart().startsWith('<') ? '' : body.trim() };
  }
}
