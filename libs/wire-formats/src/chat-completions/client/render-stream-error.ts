import type { JsonObject, PublicError } from '@gateway/interchange';
import { optional } from '../../json/read-members.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { renderErrorBody } from './render-error.ts';

export function frameOf(chunk: JsonObject): SseFrame {
  return { data: JSON.stringify(chunk) };
}

/**
 * The failure of a stream whose headers are out, as OpenAI tells it. The stream then ends, without `[DONE]`.
 */
export function renderStreamError(error: PublicError, requestId: string): SseFrame {
  return frameOf(renderErrorBody(error, requestId));
}

/** A failure that the provider told inside its stream. */
export function renderErrorChunk(error: {
  readonly message: string;
  readonly errorType?: string;
  readonly code?: string;
  readonly own: JsonObject;
}): SseFrame {
  const { message, errorType, code, own } = error;
  return frameOf({ error: { message, ...optional('type', errorType), ...optional('code', code), ...own } });
}
