import type { JsonObject, PublicError } from '@gateway/interchange';
import type { RenderedError } from '../../common/format.ts';

/** An error answer, with everything that the official clients look for. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(renderErrorBody(error, requestId)),
  };
}

export function renderErrorBody(error: PublicError, requestId: string): JsonObject {
  const { message, type, code, param, source } = error;
  return { error: { message, type, code, param, source }, request_id: requestId };
}
