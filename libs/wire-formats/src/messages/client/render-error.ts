import type { JsonObject, PublicError, StreamEvent } from '@gateway/interchange';
import type { RenderedError } from '../../common/format.ts';
import { isEmpty, optional } from '../../json/read-members.ts';
import { chooseErrorType } from '../shared/error-types.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { own } from '../shared/own-members.ts';

/** An error response with all fields that the official SDKs read. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'request-id': requestId },
    body: JSON.stringify(renderErrorBody(error, requestId)),
  };
}

/** The official SDKs read the error code from `error_code` and expose it as `errorCode`. */
function renderErrorBody(error: PublicError, requestId: string): JsonObject {
  const details = optional('error_code', error.code);
  const docs = optional('docs_url', error.docsUrl);
  return {
    type: 'error',
    error: { type: chooseErrorType(error), message: error.message, ...optional('details', details), ...docs },
    request_id: requestId,
  };
}

/** Encodes data as a server-sent event. The field `type` in the data becomes the event name. */
export function frameOf(data: JsonObject & { readonly type: string }): SseFrame {
  return { event: data.type, data: JSON.stringify(data) };
}

/**
 * Renders an error after the stream has started, in Anthropic's shape. After the error, the stream ends
 * without `message_stop`.
 */
export function renderStreamError(error: PublicError, requestId: string): SseFrame {
  return frameOf({ ...renderErrorBody(error, requestId), type: 'error' });
}

/** Renders an error event that the provider sent in its stream. */
export function renderErrorEvent(event: Extract<StreamEvent, { type: 'error' }>): SseFrame {
  const raw = own.read(event);
  const { message, errorType = 'api_error' } = event;
  return frameOf({ type: 'error', error: isEmpty(raw) ? { type: errorType, message } : raw });
}
