import type { JsonObject, PublicError } from '@gateway/interchange';
import type { RenderedError } from '../../common/format.ts';
import { encodeSse } from '../../sse/sse-frames.ts';

/** An error response with all fields that the official SDKs read. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  const { message, type, code, param, source, status } = error;
  const body: JsonObject = { error: { message, type, code, param, source }, request_id: requestId };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}

/**
 * Renders an error after the stream has started. After the error, the stream ends without an event for the
 * complete response.
 */
export function renderStreamError({ message, type, code, param }: PublicError, requestId: string): string {
  const error = { type: 'error', code: code ?? type, message, param, request_id: requestId };
  return encodeSse({ event: 'error', data: JSON.stringify(error) });
}
