import type { JsonObject, PublicError } from '@gateway/interchange';
import type { RenderedError } from '../../common/format.ts';
import { optional } from '../../json/read-members.ts';
import { encodeSse } from '../../sse/sse-frames.ts';

/** An error response with all fields that the official SDKs read. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  const { message, type, code, param, source, status } = error;
  const docs = optional('docs_url', error.docsUrl);
  const body: JsonObject = { error: { message, type, code, param, source, ...docs }, request_id: requestId };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}

/**
 * Renders an error after the stream has started. After the error, the stream ends without a
 * final event.
 */
export function renderStreamError(
  { message, type, code, param, docsUrl }: PublicError,
  requestId: string,
): string {
  const docs = optional('docs_url', docsUrl);
  const error = { type: 'error', code: code ?? type, message, param, ...docs, request_id: requestId };
  return encodeSse({ event: 'error', data: JSON.stringify(error) });
}
