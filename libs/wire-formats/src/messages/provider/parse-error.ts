import type { JsonObject, ProviderError } from '@gateway/interchange';
import { asNumber, asObject, asText } from '../../json/read-members.ts';
import { boundMessage, parseErrorBody } from '../../common/provider-error.ts';
import { mapStatusToErrorType } from '../shared/error-types.ts';

/**
 * Parses a provider's error body. Known shapes: Anthropic's `{type: "error", error: {type, message,
 * details}}`, its resellers' `{error: {…}}`, `{error: "…"}` and `{message}`, and plain text.
 */
export function parseError(status: number, body: string): ProviderError {
  const parsed = parseErrorBody(body);
  const error = parseErrorValue(asObject(parsed)?.error ?? parsed);
  return {
    ...error,
    message: boundMessage(error.message, status),
    type: error.type || mapStatusToErrorType(status),
  };
}

/** Parses the value of an `error` field. Missing properties become empty strings or null. */
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
