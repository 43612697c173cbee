/** Text of a provider that we pass on; what is longer is a page, not a message. */
const messageCharactersMax = 2000;

/** What a provider said of its failure, as far as it may go on; else the status, since an error has to say something. */
export function boundMessage(message: string | undefined, status: number): string {
  return (message || `The provider answered with status ${status}.`).slice(0, messageCharactersMax);
}

/** The type that OpenAI and Anthropic give an error of that status, for a provider that gives none. */
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

/** The body of an error answer: JSON, or, where it is none, an object with the text as its message (a page has none). */
export function parseErrorBody(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return { message: body.trimStart().startsWith('<') ? '' : body.trim() };
  }
}
