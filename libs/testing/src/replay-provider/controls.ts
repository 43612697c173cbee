/** How an answer is sent, and how it goes wrong. */
export interface ReplayControls {
  /**
   * Sizes of the pieces in which the body is written, each a chunk of its own on the wire; a list is gone through again
   * and again. Without it the body is one piece.
   */
  readonly chunkBytes?: number | readonly number[];
  /** Also cuts inside every character of more than one byte. */
  readonly cutInsideCharacters?: boolean;
  /** Waits before the status line. */
  readonly firstByteDelayMs?: number;
  /** Waits for this before that. */
  readonly firstByteAfter?: Promise<unknown>;
  /** Waits before each piece but the first. */
  readonly chunkDelayMs?: number;
  /** Cuts the connection (RST): before the headers, or after this many bytes of the body; 0 cuts it after the headers. */
  readonly resetAtByte?: 'before-headers' | number;
  /** Says nothing more, and keeps the connection: before the headers, or after this many bytes of the body. */
  readonly hang?: 'before-headers' | number;
  /** In place of the recorded status. */
  readonly status?: number;
  /** Over the recorded headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the recorded body; what is not text or bytes is sent as JSON. */
  readonly body?: unknown;
  /** Sets `retry-after` (whole seconds, rounded up) and `retry-after-ms`. */
  readonly retryAfterMs?: number;
}

/** Offsets at which a body is cut, ascending, without 0 and the end. */
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
    // A byte 10xxxxxx continues a character: a cut before it lies inside.
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
