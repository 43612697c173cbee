import type { ProviderError } from '@gateway/interchange';
import { asObject, asText } from '../../json/read-members.ts';
import { boundMessage, mapStatusToType, parseErrorBody } from '../../common/provider-error.ts';

/** Cohere's `{id, message, error_type}`, or text. */
export function parseError(status: number, body: string): ProviderError {
  const error = asObject(parseErrorBody(body)) ?? {};
  return {
    message: boundMessage(asText(error.message), status),
    type: mapStatusToType(status),
    code: asText(error.error_type) ?? null,
    param: null,
  };
}
