/**
 * Shorter chunks are copied into blocks. A `Buffer` object takes about a hundred bytes, and keeps all the bytes in
 * memory that were read from the socket with it. A peer that sends single bytes would use a hundred times the memory
 * that it sends.
 */
const copiedBytesMax = 1024;
/** Blocks double from this size to `blockBytesMax`, and start again after a long chunk. */
const blockBytesMin = 1024;
const blockBytesMax = 64 * 1024;
/** Replaces a removed piece, so that its memory is freed. */
const noBytes = Buffer.alloc(0);

/**
 * Bytes that arrive in chunks of any size, in order. Takes time linear in the bytes and the chunks, and at most about
 * three times the memory of the bytes.
 */
export class ByteList {
  #pieces: Buffer[] = [];
  /** The number of pieces at the front that `shift` has removed. */
  #removed = 0;
  /** The open block. It becomes a piece when it is full, or when the pieces are read. */
  #block: Buffer | undefined;
  #blockBytes = 0;
  #nextBlockBytes = blockBytesMin;
  #size = 0;

  /** The number of bytes. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes at the end. A long chunk is kept without a copy, so the caller must not change it. */
  push(chunk: Buffer): void {
    const { length } = chunk;
    if (length === 0) return;
    this.#size += length;
    if (length > copiedBytesMax) {
      this.#closeBlock();
      this.#nextBlockBytes = blockBytesMin;
      this.#pieces.push(chunk);
      return;
    }
    if (this.#block === undefined || this.#blockBytes + length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(this.#nextBlockBytes);
      this.#nextBlockBytes = Math.min(2 * this.#nextBlockBytes, blockBytesMax);
    }
    chunk.copy(this.#block, this.#blockBytes);
    this.#blockBytes += length;
  }

  /** Removes the first piece and returns it. Undefined if the list is empty. */
  shift(): Buffer | undefined {
    if (this.#removed === this.#pieces.length) this.#closeBlock();
    const piece = this.#pieces[this.#removed];
    if (piece === undefined) return undefined;
    this.#pieces[this.#removed] = noBytes;
    this.#removed += 1;
    this.#size -= piece.length;
    if (this.#size === 0) this.clear();
    else if (2 * this.#removed > this.#pieces.length) this.#dropRemoved();
    return piece;
  }

  /** The bytes in pieces. */
  pieces(): readonly Buffer[] {
    this.#closeBlock();
    return this.#removed === 0 ? this.#pieces : this.#pieces.slice(this.#removed);
  }

  /** All bytes in one piece. Copies them unless they already are. */
  concat(): Buffer {
    const pieces = this.pieces();
    const [only] = pieces;
    return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces, this.#size);
  }

  clear(): void {
    this.#pieces = [];
    this.#removed = 0;
    this.#block = undefined;
    this.#blockBytes = 0;
    this.#nextBlockBytes = blockBytesMin;
    this.#size = 0;
  }

  /** Moves the pieces to the front. Called after as many removals, so that each piece is moved once on average. */
  #dropRemoved(): void {
    this.#pieces = this.#pieces.slice(this.#removed);
    this.#removed = 0;
  }

  #closeBlock(): void {
    if (this.#block === undefined) return;
    this.#pieces.push(this.#block.subarray(0, this.#blockBytes));
    this.#block = undefined;
    this.#blockBytes = 0;
  }
}
