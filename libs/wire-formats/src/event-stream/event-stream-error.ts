/** Bytes that are no event stream: a wrong checksum, a length out of bounds, an unknown header type. */
export class EventStreamError extends Error {
  override readonly name = 'EventStreamError';
}
