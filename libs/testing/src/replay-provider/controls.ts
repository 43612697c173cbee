/** How a response is sent, and how it fails. */
export interface ReplayControls {
  /**
   * Sizes of the pieces of the body. Each piece is a separate chunk, and the list repeats. Without it the
   * body is one piece.
   */
  readonly chunkBytes?: number | readonly number[];
  /** Also cuts inside every multi-byte character. */
  readonly cutInsideCharacters?: boolean;
  /** Delay before the status line, in milliseconds. */
  readonly firstByteDelayMs?: number;
  /** A promise to wait for before the status line. */
  readonly firstByteAfter?: Promise<unknown>;
  /** Delay before each piece except the first, in milliseconds. */
  readonly chunkDelayMs?: number;
  /**
   * Resets the connection (RST): before the headers, or after this many bytes of the body. 0 resets it after
   * the headers.
   */
  readonly resetAtByte?: 'before-headers' | number;
  /** Stops sending but keeps the connection: before the headers, or after this many bytes of the body. */
  readonly hang?: 'before-headers' | number;
  /** Replaces the recorded status. */
  readonly status?: number;
  /** Added to the recorded headers, and replaces equal names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the recorded body. Anything except text and bytes is sent as JSON. */
  readonly body?: unknown;
  /** Sets `retry-after` (whole seconds, rounded up) and `retry-after-ms`. */
  readonly retryAfterMs?: number;
}

/** The offsets at which a body is cut, ascending, without 0 and the end. */
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
    // A byte 10xxxxxx continues a character, so a cut before it lies inside the character.
    for (let at = 1; at < body.length; at += 1) if (((body[at] ?? 0) & 0xc0) === 0x80) cuts.add(at);
  }
  const end = [controls.resetAtByte, controls.hang].find((at) => typeof at === 'number');
  if (end !== undefined) cuts.add(end);
  return [...cuts].filter((at) => at > 0 && at < body.length).sort((a, b) => a - b);
}

/** The pieces of a body. */
export function cutBody(body: Buffer, controls: ReplayControls): Buffer[] {
  const edges = [0, ...chooseCuts(body, controls), body.length];
  return edges.slice(1).map((end, at) => body.subarray(edges[at], end));
}
