import type { JsonObject, PublicError } from '@gateway/interchange';
import { encodeEventStream } from '../../event-stream/encode-event-stream.ts';
import type { EventStreamHeader } from '../../event-stream/event-stream-message.ts';
import type { ErrorKind } from '../shared/exceptions.ts';
import { mapToStreamException } from '../shared/exceptions.ts';

/**
 * One frame in a binary stream. The frame's headers contain the event name. The frame's payload contains
 * the event fields.
 */
export interface StreamFrame {
  /** A stream event, or an exception that ends the stream. */
  readonly kind: 'event' | 'exception';
  /** The name of the event or exception, such as `contentBlockDelta` or `throttlingException`. */
  readonly name: string;
  readonly payload: JsonObject;
}

export function eventFrame(name: string, payload: JsonObject): StreamFrame {
  return { kind: 'event', name, payload };
}

const text = (value: string): EventStreamHeader => ({ type: 'string', value });

/** Encodes a frame of a binary stream. The headers have the same order as in frames from AWS. */
export function encodeFrame({ kind, name, payload }: StreamFrame): Buffer {
  const headers = new Map([
    [`:${kind}-type`, text(name)],
    [':content-type', text('application/json')],
    [':message-type', text(kind)],
  ]);
  return encodeEventStream({ headers, payload: Buffer.from(JSON.stringify(payload)) });
}

/** Renders an error after a stream has started. The AWS SDK throws the exception named in the frame. */
export function renderStreamError(error: PublicError): StreamFrame {
  return exceptionFrame(error, error.message);
}

/** Renders an error event that the provider sent in its stream. */
export function renderProviderError(error: {
  readonly message: string;
  readonly code?: string;
}): StreamFrame {
  return exceptionFrame({ status: 500, code: error.code ?? null, source: 'provider' }, error.message);
}

function exceptionFrame(kind: ErrorKind, message: string): StreamFrame {
  return { kind: 'exception', name: mapToStreamException(kind), payload: { message } };
}
