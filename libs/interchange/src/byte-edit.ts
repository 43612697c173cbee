/** A half-open range of bytes: `start` is the first byte, `end` is one past the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Replaces the bytes of a range. An empty replacement deletes; an empty range inserts. */
export interface ByteEdit extends ByteRange {
  readonly replacement: string;
}
