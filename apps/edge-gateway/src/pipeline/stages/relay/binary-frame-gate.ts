import type { FrameGate } from './frame-gate.ts';

/** The shortest frame: prelude (8 bytes), its CRC (4) and the message CRC (4). */
const frameBytesMin = 16;

/** The same for AWS's binary frames, whose first four bytes tell their length. */
export class BinaryFrameGate implements FrameGate {
  readonly #bytesMax: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Bytes of the frame that is being held; undefined until its first four bytes are here. */
  #frameBytes: number | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): readonly Buffer[] {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    this.#frameBytes ??= this.#readLength();
    if (this.#frameBytes === undefined || this.#heldBytes < this.#frameBytes) return [];
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held);
    const end = this.#endOfLastFrame(bytes);
    this.#held = end < bytes.length ? [bytes.subarray(end)] : [];
    this.#heldBytes = bytes.length - end;
    this.#frameBytes = this.#readLength();
    return [bytes.subarray(0, end)];
  }

  rest(): readonly Buffer[] {
    return this.#held;
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
    if (this.#heldBytes < 4) return undefined;
    const first = this.#held[0];
    const head = first && first.length >= 4 ? first : Buffer.concat(this.#held);
    return this.#checked(head.readUInt32BE(0));
  }

  #checked(length: number): number {
    if (length >= frameBytesMin && length <= this.#bytesMax) return length;
    throw new RangeError(`a frame says that it is ${length} bytes long`);
  }
}
