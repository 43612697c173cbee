import type { JsonObject } from '@gateway/interchange';
import { encodeEventStream } from '../event-stream/encode-event-stream.ts';
import type { EventStreamHeader } from '../event-stream/event-stream-message.ts';

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
