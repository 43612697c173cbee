import { ByteList } from '../../../bytes/byte-list.ts';

/**
 * Forwards complete frames of a stream, and buffers an incomplete frame until the frame is complete. With complete
 * frames, the gateway can end a broken stream with an error event. After an incomplete frame, the client would
 * parse the error event as part of the frame. The gate does not change the bytes of a frame.
 */
export interface FrameGate {
  /**
   * Returns all bytes up to the end of the last complete frame. Throws a `RangeError` if a frame is too long.
   */
  push(chunk: Buffer): readonly Buffer[];
  /**
   * Returns the unfinished frame at the end of the stream, because some providers omit the empty line after the
   * last frame.
   */
  rest(): readonly Buffer[];
}

const noBytes = Buffer.alloc(0);
/**
 * Maximum number of buffered bytes of an incomplete empty line. The rest of the empty line may arrive in
 * the next chunk.
 */
const seamBytes = 3;

/** Forwards server-sent events in complete frames. The gate examines each byte of the stream only once. */
export class SseFrameGate implements FrameGate {
  readonly #bytesMax: number;
  readonly #held = new ByteList();
  /** The last three bytes in the buffer, where an empty line may begin. */
  #seam: Buffer = noBytes;

  /** @param bytesMax maximum length of a buffered frame, above which `push` throws a `RangeError` */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): readonly Buffer[] {
    const end = this.#endOfLastFrame(chunk);
    if (end === 0) {
      this.#hold(chunk);
      return [];
    }
    const released = [...this.#held.pieces(), end === chunk.length ? chunk : chunk.subarray(0, end)];
    this.#held.clear();
    this.#seam = noBytes;
    if (end < chunk.length) this.#hold(chunk.subarray(end));
    return released;
  }

  rest(): readonly Buffer[] {
    return this.#held.pieces();
  }

  #hold(chunk: Buffer): void {
    if (this.#held.size + chunk.length > this.#bytesMax)
      throw new RangeError(`an event is longer than ${this.#bytesMax} bytes`);
    this.#held.push(chunk);
    this.#seam = Buffer.concat([this.#seam, chunk.subarray(-seamBytes)]).subarray(-seamBytes);
  }

  /**
   * Returns the offset in `chunk` after the last empty line, or 0 if no frame ends in the chunk. Lines of
   * server-sent events end in LF, CR LF or CR.
   */
  #endOfLastFrame(chunk: Buffer): number {
    const inside = Math.max(endOf(chunk, '\n\n'), endOf(chunk, '\n\r\n'), endOf(chunk, '\r\r'));
    if (inside > 0) return inside;
    const before = this.#seam;
    const seam = Buffer.concat([before, chunk.subarray(0, 2)]);
    const across = Math.max(endOf(seam, '\n\n'), endOf(seam, '\n\r\n'), endOf(seam, '\r\r')) - before.length;
    return Math.max(0, across);
  }
}

function endOf(bytes: Buffer, pattern: string): number {
  const at = bytes.lastIndexOf(pattern, undefined, 'latin1');
  return at < 0 ? 0 : at + pattern.length;
}

/**
 * Minimum length of a frame in bytes. The prelude has 8 bytes, the CRC of the prelude 4 bytes, and the CRC of
 * the message 4 bytes.
 */
const frameBytesMin = 16;

/**
 * Releases complete frames of AWS's binary format. The first four bytes of a binary frame contain its length.
 */
export class BinaryFrameGate implements FrameGate {
  readonly #bytesMax: number;
  readonly #held = new ByteList();
  /**
   * Length of the buffered frame in bytes. Undefined until the first four bytes of the frame have arrived.
   */
  #frameBytes: number | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): readonly Buffer[] {
    const isFirst = this.#held.size === 0;
    this.#held.push(chunk);
    this.#frameBytes ??= this.#readLength();
    if (this.#frameBytes === undefined || this.#held.size < this.#frameBytes) return [];
    const bytes = isFirst ? chunk : this.#held.concat();
    const end = this.#endOfLastFrame(bytes);
    this.#held.clear();
    this.#held.push(bytes.subarray(end));
    this.#frameBytes = this.#readLength();
    return [bytes.subarray(0, end)];
  }

  rest(): readonly Buffer[] {
    return this.#held.pieces();
  }

  #endOfLastFrame(bytes: Buffer): number {
    let end = 0;
    while (bytes.length - end >= 4) {
      const length = this.#checked(bytes.readUInt32BE(end));
      if (end + length > bytes.length) break;
      end += length;
    }
    return end;
  }

  #readLength(): number | undefined {
    if (this.#held.size < 4) return undefined;
    const [first] = this.#held.pieces();
    const head = first !== undefined && first.length >= 4 ? first : this.#held.concat();
    return this.#checked(head.readUInt32BE(0));
  }

  #checked(length: number): number {
    if (length >= frameBytesMin && length <= this.#bytesMax) return length;
    throw new RangeError(`a frame declares an invalid length of ${length} bytes`);
  }
}

/** Splits server-sent events into frames. Each frame includes the empty lines at its end. */
export function splitSseFrames(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  const frames: Buffer[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/(?:\n\r\n|\n\n|\r\r)[\r\n]*/g)) {
    frames.push(bytes.subarray(start, index + end.length));
    start = index + end.length;
  }
  if (start < bytes.length) frames.push(bytes.subarray(start));
  return frames;
}

/** Splits AWS's binary frames. The first four bytes of a binary frame contain its length. */
export function splitBinaryFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let start = 0;
  while (start + 4 <= bytes.length) {
    const end = Math.min(bytes.length, start + Math.max(4, bytes.readUInt32BE(start)));
    frames.push(bytes.subarray(start, end));
    start = end;
  }
  if (start < bytes.length) frames.push(bytes.subarray(start));
  return frames;
}
