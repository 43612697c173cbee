/**
 * Lets whole frames of a stream through and holds the beginning of one back until the rest has come. So a stream that
 * breaks can still be ended with an error event of its own, which a reader would otherwise take for the rest of the
 * broken frame. Bytes come out as they went in.
 */
export interface FrameGate {
  /** What may go on now: everything up to the end of the last whole frame. Throws a `RangeError` for one too long. */
  push(chunk: Buffer): readonly Buffer[];
  /** The frame that never ended: some providers leave the last empty line out. */
  rest(): readonly Buffer[];
}

/** The gate of server-sent events. Each byte is searched once. */
export class SseFrameGate implements FrameGate {
  readonly #bytesMax: number;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @param bytesMax the longest frame that is held; `push` throws a `RangeError` past it. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): readonly Buffer[] {
    const end = this.#endOfLastFrame(chunk);
    if (end === 0) {
      this.#hold(chunk);
      return [];
    }
    const released = [...this.#held, end === chunk.length ? chunk : chunk.subarray(0, end)];
    this.#held = [];
    this.#heldBytes = 0;
    if (end < chunk.length) this.#hold(chunk.subarray(end));
    return released;
  }

  rest(): readonly Buffer[] {
    return this.#held;
  }

  #hold(chunk: Buffer): void {
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > this.#bytesMax)
      throw new RangeError(`an event is longer than ${this.#bytesMax} bytes`);
    this.#held.push(chunk);
  }

  /** Offset in `chunk` one past the last empty line; 0 when no frame ends in it. Lines end in LF, CR LF or CR. */
  #endOfLastFrame(chunk: Buffer): number {
    const inside = Math.max(endOf(chunk, '\n\n'), endOf(chunk, '\n\r\n'), endOf(chunk, '\r\r'));
    if (inside > 0) return inside;
    const before = Buffer.concat(this.#held.slice(-3)).subarray(-3);
    const seam = Buffer.concat([before, chunk.subarray(0, 2)]);
    const across = Math.max(endOf(seam, '\n\n'), endOf(seam, '\n\r\n'), endOf(seam, '\r\r')) - before.length;
    return Math.max(0, across);
  }
}

function endOf(bytes: Buffer, pattern: string): number {
  const at = bytes.lastIndexOf(pattern, undefined, 'latin1');
  return at < 0 ? 0 : at + pattern.length;
}
