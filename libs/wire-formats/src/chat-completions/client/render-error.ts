import type { JsonObject, PublicError } from '@gateway/interchange';
import type { RenderedError } from '../../common/format.ts';
import { optional } from '../../json/read-members.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';

/** An error response with all fields that the official SDKs read. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(renderErrorBody(error, requestId)),
  };
}

function renderErrorBody(error: PublicError, requestId: string): JsonObject {
  const { message, type, code, param, source } = error;
  const docs = optional('docs_url', error.docsUrl);
  return { error: { message, type, code, param, source, ...docs }, request_id: requestId };
}

export function frameOf(chunk: JsonObject): SseFrame {
  return { data: JSON.stringify(chunk) };
}

/**
 * Renders an error after the stream has started, in OpenAI's shape. After the error, the stream ends without
 * `[DONE]`.
 */
export function renderStreamError(error: PublicError, requestId: string): SseFrame {
  return frameOf(renderErrorBody(error, requestId));
}

/** Renders an error event that the provider sent in its stream. */
export function renderErrorChunk(error: {
  readonly message: string;
  readonly errorType?: string;
  readonly code?: string;
  readonly own: JsonObject;
}): SseFrame {
  const { message, errorType, code, own } = error;
  return frameOf({ error: { message, ...optional('type', errorType), ...optional('code', code), ...own } });
}
