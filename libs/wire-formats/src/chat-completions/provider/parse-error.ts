import type { JsonObject, ProviderError } from '@gateway/interchange';
import { asList, asObject, asText, isObject } from '../../json/read-members.ts';
import { boundMessage, mapStatusToType, parseErrorBody } from '../../common/provider-error.ts';

/**
 * Parses a provider's error body. The body has the shape of OpenAI (`{error:{…}}`), Mistral and Doubleword
 * (`{message, type, code}`), Venice (`{error:"…"}`) or FastAPI (`{detail}`). The body may also be plain text.
 */
export function parseError(status: number, body: string): ProviderError {
  const parsed = parseErrorBody(body);
  const error = isObject(parsed)
    ? parseErrorValue(parsed.error ?? (parsed.detail === undefined ? parsed : describeDetail(parsed.detail)))
    : parseErrorValue(body.trim());
  return {
    ...error,
    message: boundMessage(error.message, status),
    type: error.type || mapStatusToType(status),
  };
}

/** Parses the value of an `error` field. Missing error properties become empty strings or null. */
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
