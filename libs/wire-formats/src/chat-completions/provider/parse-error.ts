import type { JsonObject, ProviderError } from '@gateway/interchange';
import { asList, asObject, asText, isObject } from '../../json/read-members.ts';

/** Text of a provider that we pass on; what is longer is a page, not a message. */
const messageCharactersMax = 2000;

/**
 * What a provider's error answer says. Shapes seen: OpenAI's `{error: {…}}`, Mistral's and Doubleword's bare
 * `{message, type, code}`, Venice's `{error: "…"}`, FastAPI's `{detail}`, and text.
 */
export function parseError(status: number, body: string): ProviderError {
  const parsed = parseJson(body);
  const error = isObject(parsed)
    ? parseErrorValue(parsed.error ?? (parsed.detail === undefined ? parsed : describeDetail(parsed.detail)))
    : parseErrorValue(body.trimStart().startsWith('<') ? '' : body.trim());
  return {
    ...error,
    message: (error.message || `The provider answered with status ${status}.`).slice(0, messageCharactersMax),
    type: error.type || mapStatusToType(status),
  };
}

/** The value of an `error` member. Unknown parts are empty or null. */
export function parseErrorValue(value: unknown): ProviderError {
  const error: JsonObject = typeof value === 'string' ? { message: value } : (asObject(value) ?? {});
  return {
    message: asText(error.message) ?? '',
    type: asText(error.type) ?? '',
    code: asCode(error.code),
    param: asText(error.param) ?? null,
  };
}

function asCode(code: unknown): string | null {
  return typeof code === 'string' || typeof code === 'number' ? String(code) : null;
}

function describeDetail(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  return asList(detail)
    .flatMap((item) => asText(asObject(item)?.msg) ?? [])
    .join('; ');
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
