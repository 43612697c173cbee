import type { JsonObject, PublicError, StreamEvent } from '@gateway/interchange';
import { isEmpty } from '../../json/read-members.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { own } from '../own.ts';
import { renderErrorBody } from './render-error.ts';

/** An event, under its own name. */
export function frameOf(data: JsonObject & { readonly type: string }): SseFrame {
  return { event: data.type, data: JSON.stringify(data) };
}

/** The failure of a stream whose headers are out, as Anthropic tells it. The stream then ends, without `message_stop`. */
export function renderStreamError(error: PublicError, requestId: string): SseFrame {
  return frameOf({ ...renderErrorBody(error, requestId), type: 'error' });
}

/** A failure that the provider told inside its stream. */
export function renderErrorEvent(event: Extract<StreamEvent, { type: 'error' }>): SseFrame {
  const raw = own.read(event);
  const { message, errorType = 'api_error' } = event;
  return frameOf({ type: 'error', error: isEmpty(raw) ? { type: errorType, message } : raw });
}
