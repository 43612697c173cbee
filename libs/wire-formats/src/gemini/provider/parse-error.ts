import type { JsonObject, ProviderError } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional } from '../../json/read-members.ts';
import { boundMessage, mapStatusToType, parseErrorBody } from '../../common/provider-error.ts';

/**
 * Parses an error body. The body is plain text, an object `{error:{code,message,status,details}}`, or, in
 * streams, a list with this object.
 */
export function parseError(status: number, body: string): ProviderError {
  const parsed = parseErrorBody(body);
  const first = Array.isArray(parsed) ? (parsed as unknown[])[0] : parsed;
  const raw = isObject(first) ? (asObject(first.error) ?? first) : { message: body.trim() };
  return parseErrorValue(raw, status);
}

/** Parses the value of an `error` field. */
export function parseErrorValue(raw: JsonObject, status: number): ProviderError {
  const details = asList(raw.details).filter(isObject);
  const reason = details.map((detail) => asText(detail.reason)).find((text) => text !== undefined);
  const field = details
    .flatMap((detail) => asList(detail.fieldViolations))
    .map((violation) => asObject(violation)?.field);
  return {
    message: boundMessage(asText(raw.message), status),
    // Google returns status 400 both for an invalid API key and for other invalid arguments.
    // Only the error reason identifies an invalid API key.
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
