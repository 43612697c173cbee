/** A half-open byte range: `start` is the first byte, and `end` is one past the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Replaces the bytes in a range. An empty replacement deletes them; an empty range inserts. */
export interface ByteEdit extends ByteRange {
  readonly replacement: string;
}
