/**
 * A message in AWS's binary event stream encoding (`application/vnd.amazon.eventstream`), with typed headers
 * and a payload. Two pages define the message layout,
 * https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html and the Smithy specification,
 * https://smithy.io/2.0/aws/amazon-eventstream.html.
 */
export interface EventStreamMessage {
  /** Headers in the order in which they are sent. If a header is repeated, the last value is used. */
  readonly headers: ReadonlyMap<string, EventStreamHeader>;
  readonly payload: Uint8Array;
}

export type EventStreamHeader =
  | { readonly type: 'boolean'; readonly value: boolean }
  /** Signed integers of 8, 16 and 32 bits. */
  | { readonly type: 'byte' | 'short' | 'integer'; readonly value: number }
  /** A signed integer of 64 bits. A timestamp is in milliseconds since 1970. */
  | { readonly type: 'long' | 'timestamp'; readonly value: bigint }
  | { readonly type: 'binary'; readonly value: Uint8Array }
  | { readonly type: 'string'; readonly value: string }
  /** A UUID of sixteen bytes, in the canonical text form with hyphens. */
  | { readonly type: 'uuid'; readonly value: string };

/**
 * The size of the prelude, which contains the total length, the headers length, and a checksum of both
 * lengths.
 */
export const preludeBytes = 12;
export const checksumBytes = 4;
export const messageBytesMin = preludeBytes + checksumBytes;
/** The specification allows at most 16 MiB of payload (2^24 bytes) and 128 KiB of headers. */
export const headersBytesMax = 128 * 1024;
export const messageBytesMax = messageBytesMin + headersBytesMax + 16 * 1024 * 1024;

/** The type codes of headers in the binary encoding. */
export const headerTypes = {
  true: 0,
  false: 1,
  byte: 2,
  short: 3,
  integer: 4,
  long: 5,
  binary: 6,
  string: 7,
  timestamp: 8,
  uuid: 9,
} as const;

/** Returns the value of a string header. Returns undefined if the header is missing or has another type. */
export function textHeader(message: EventStreamMessage, name: string): string | undefined {
  const header = message.headers.get(name);
  return header?.type === 'string' ? header.value : undefined;
}

/**
 * The error for bytes that are not a valid event stream. Possible causes are a wrong checksum, a length
 * outside the limits, and an unknown header type.
 */
export class EventStreamError extends Error {
  override readonly name = 'EventStreamError';
}
