/** Settings for how the replay provider sends a response, including failures. */
export interface ReplayControls {
  /**
   * Sizes of the body's chunks, in bytes. The list of sizes repeats until the body ends. If no chunk sizes
   * are given, the body is sent as a single chunk.
   */
  readonly chunkBytes?: number | readonly number[];
  /** Whether the response body is also split inside every multi-byte character. */
  readonly cutInsideCharacters?: boolean;
  /** Delay before the status line, in milliseconds. */
  readonly firstByteDelayMs?: number;
  /** A promise to await before sending the status line. */
  readonly firstByteAfter?: Promise<unknown>;
  /** Delay before each chunk except the first, in milliseconds. */
  readonly chunkDelayMs?: number;
  /**
   * Resets the connection (RST), either before the headers or after the given number of body bytes. If the
   * number is 0, the connection is reset directly after the headers.
   */
  readonly resetAtByte?: 'before-headers' | number;
  /**
   * Stops sending but keeps the connection open, either before the headers or after the given number of body
   * bytes.
   */
  readonly hang?: 'before-headers' | number;
  /** An HTTP status that replaces the recorded status. */
  readonly status?: number;
  /** Headers added to the recorded headers. Added headers replace recorded headers with the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that replaces the recorded body. Any value except strings and bytes is sent as JSON. */
  readonly body?: unknown;
  /** The delay in the headers `retry-after` (in whole seconds, rounded up) and `retry-after-ms`. */
  readonly retryAfterMs?: number;
}

/** Byte offsets at which the body is split, ascending, excluding 0 and the end. */
export function chooseCuts(body: Buffer, controls: ReplayControls): number[] {
  const cuts = new Set<number>();
  const { chunkBytes } = controls;
  const sizes = (typeof chunkBytes === 'number' ? [chunkBytes] : (chunkBytes ?? [])).filter(
    (size) => size > 0,
  );
  if (sizes.length > 0) {
    for (let at = 0, turn = 0; at < body.length; turn += 1) {
      at += sizes[turn % sizes.length] ?? 1;
      cuts.add(at);
    }
  }
  if (controls.cutInsideCharacters === true) {
    // A byte of the form 10xxxxxx continues a character, so a split before the byte cuts the character.
    for (let at = 1; at < body.length; at += 1) if (((body[at] ?? 0) & 0xc0) === 0x80) cuts.add(at);
  }
  const end = [controls.resetAtByte, controls.hang].find((at) => typeof at === 'number');
  if (end !== undefined) cuts.add(end);
  return [...cuts].filter((at) => at > 0 && at < body.length).sort((a, b) => a - b);
}

/** The response body, split into chunks. */
export function cutBody(body: Buffer, controls: ReplayControls): Buffer[] {
  const edges = [0, ...chooseCuts(body, controls), body.length];
  return edges.slice(1).map((end, at) => body.subarray(edges[at], end));
}
