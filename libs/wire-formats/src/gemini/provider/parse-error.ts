import type { JsonObject, ProviderError } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional } from '../../json/read-members.ts';

/** Text of a provider that we pass on; what is longer is a page, not a message. */
const messageCharactersMax = 2000;

/** Google's `{error: {code, message, status, details}}`, alone or, of a stream, in a list; or text. */
export function parseError(status: number, body: string): ProviderError {
  const parsed = parseJson(body);
  const first = Array.isArray(parsed) ? (parsed as unknown[])[0] : parsed;
  const isPage = body.trimStart().startsWith('<');
  const raw = isObject(first) ? (asObject(first.error) ?? first) : { message: isPage ? '' : body.trim() };
  return parseErrorValue(raw, status);
}

/** The value of an `error` member. */
export function parseErrorValue(raw: JsonObject, status: number): ProviderError {
  const details = asList(raw.details).filter(isObject);
  const reason = details.map((detail) => asText(detail.reason)).find((text) => text !== undefined);
  const field = details
    .flatMap((detail) => asList(detail.fieldViolations))
    .map((violation) => asObject(violation)?.field);
  return {
    message: (asText(raw.message) || `The provider answered with status ${status}.`).slice(
      0,
      messageCharactersMax,
    ),
    // A wrong key is a 400 like any other wrong argument; its reason tells.
    type: reason === 'API_KEY_INVALID' ? 'authentication_error' : mapStatusToType(status),
    code: asText(raw.status) ?? null,
    param: asText(field[0]) ?? null,
    ...optional('retryAfterMs', readRetryDelay(details)),
  };
}

function readRetryDelay(details: readonly JsonObject[]): number | undefined {
  const delay = details.map((detail) => asText(detail.retryDelay)).find((text) => text !== undefined);
  const match = /^(\d{1,6}(?:\.\d{1,9})?)s$/.exec(delay ?? '');
  return match === null ? undefined : Math.ceil(Number(match[1]) * 1000);
}

function mapStatusToType(status: number): string {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
