import type { JsonObject, PublicError } from '@gateway/interchange';
import { encodeEventStream } from '../../event-stream/encode-event-stream.ts';
import type { EventStreamHeader } from '../../event-stream/event-stream-message.ts';
import type { ErrorKind } from '../shared/exceptions.ts';
import { mapToStreamException } from '../shared/exceptions.ts';

/** Members of a stream's events that come in the payload of a frame, whose headers name the event. */
export interface StreamFrame {
  /** An event of the stream, or an exception that ends it. */
  readonly kind: 'event' | 'exception';
  /** `contentBlockDelta`, `throttlingException`, … */
  readonly name: string;
  readonly payload: JsonObject;
}

export function eventFrame(name: string, payload: JsonObject): StreamFrame {
  return { kind: 'event', name, payload };
}

const text = (value: string): EventStreamHeader => ({ type: 'string', value });

/** The headers are in the order in which AWS sends them. */
export function encodeFrame({ kind, name, payload }: StreamFrame): Buffer {
  const headers = new Map([
    [`:${kind}-type`, text(name)],
    [':content-type', text('application/json')],
    [':message-type', text(kind)],
  ]);
  return encodeEventStream({ headers, payload: Buffer.from(JSON.stringify(payload)) });
}

/** The failure of a stream whose headers are out: the SDK throws it as the exception that it names. */
export function renderStreamError(error: PublicError): StreamFrame {
  return exceptionFrame(error, error.message);
}

/** A failure that the provider told inside its stream. */
export function renderToldError(error: { readonly message: string; readonly code?: string }): StreamFrame {
  return exceptionFrame({ status: 500, code: error.code ?? null, source: 'provider' }, error.message);
}

function exceptionFrame(kind: ErrorKind, message: string): StreamFrame {
  return { kind: 'exception', name: mapToStreamException(kind), payload: { message } };
}
