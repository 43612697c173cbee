import type { JsonObject, ProviderError } from '@gateway/interchange';
import { asNumber, asObject, asText } from '../../json/read-members.ts';
import { mapStatusToErrorType } from '../error-types.ts';

/** Text of a provider that we pass on; what is longer is a page, not a message. */
const messageCharactersMax = 2000;

/**
 * What a provider's error answer says: Anthropic's `{type: "error", error: {type, message, details}}`, its resellers'
 * `{error: {…}}`, `{error: "…"}` and `{message}`, and text.
 */
export function parseError(status: number, body: string): ProviderError {
  const parsed = parseJson(body);
  const error = asObject(parsed)
    ? parseErrorValue(asObject(parsed)?.error ?? parsed)
    : parseErrorValue(body.trimStart().startsWith('<') ? '' : body.trim());
  return {
    ...error,
    message: (error.message || `The provider answered with status ${status}.`).slice(0, messageCharactersMax),
    type: error.type || mapStatusToErrorType(status),
  };
}

/** The value of an `error` member. Unknown parts are empty or null. */
export function parseErrorValue(value: unknown): ProviderError {
  const error: JsonObject = typeof value === 'string' ? { message: value } : (asObject(value) ?? {});
  const code = asText(asObject(error.details)?.error_code) ?? asText(error.code) ?? asNumber(error.code);
  return {
    message: asText(error.message) ?? '',
    type: asText(error.type) ?? '',
    code: code === undefined ? null : String(code),
    param: null,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
