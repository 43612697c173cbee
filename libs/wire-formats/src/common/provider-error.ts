/** Most characters of a provider's error message that are forwarded. Longer texts are mostly HTML pages. */
const messageCharactersMax = 2000;

/** Shortens the provider's error message. An empty message is replaced by one with the status. */
export function boundMessage(message: string | undefined, status: number): string {
  return (message || `The provider answered with status ${status}.`).slice(0, messageCharactersMax);
}

/** The error type that OpenAI and Anthropic use for a status. For providers that send no type. */
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
 * Parses an error body. A body that is not JSON becomes the message of the error. An HTML page becomes an empty
 * message.
 */
export function parseErrorBody(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return { message: body.trimStart().startsWith('<') ? '' : body.trim() };
  }
}
