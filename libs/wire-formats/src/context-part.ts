import type { ByteRange, MessageRole } from '@gateway/interchange';

/** A piece of a conversation as the compressor looks at it, in the order in which the model reads it. */
export interface ContextPart {
  /** The message it stands in; -1 for the system prompt of a format that keeps it apart. */
  readonly message: number;
  readonly speaker: MessageRole;
  /** The JSON string that may be replaced by another. Undefined: it is only there to be referred to. */
  readonly range: ByteRange | undefined;
  /** Decoded on demand. */
  text(): string;
}
