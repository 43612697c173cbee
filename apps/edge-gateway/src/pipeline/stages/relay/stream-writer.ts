import type { StreamEvent } from '@gateway/interchange';

/** Turns what was read of a stream into what goes to the client. Made for one answer. */
export interface StreamWriter {
  /** The pieces in which the provider's bytes are to be read and written. */
  split(chunk: Buffer): readonly Buffer[];
  /** What of them is left when the provider has sent all. */
  left(): readonly Buffer[];
  /** @param chunk the provider's bytes; @param events what they say. */
  write(chunk: Buffer, events: readonly StreamEvent[]): readonly Uint8Array[];
  /** What is still to go out at the end of a stream that ended in good order. Where there are rounds, of the last one. */
  rest(): readonly Uint8Array[];
}
