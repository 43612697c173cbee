/**
 * Chunks shorter than this number of bytes are copied into blocks. A `Buffer` object takes about a hundred bytes,
 * and keeps all bytes of one socket read in memory. An uncopied chunk of one byte would take more than a hundred
 * bytes of memory.
 */
const copiedBytesMax = 1024;
/**
 * Size of the first block in bytes. Each further block is twice as large as the previous block, up to
 * `blockBytesMax`. After a long chunk, the block sizes start again with the size of the first block.
 */
const blockBytesMin = 1024;
const blockBytesMax = 64 * 1024;
/** Replaces a removed piece in the list, so that the memory of the piece is freed. */
const noBytes = Buffer.alloc(0);

/**
 * A list of bytes that arrive in chunks of any size, in order. The running time of all operations together is
 * linear in the number of bytes and chunks. The list uses at most about three times the memory of its
 * bytes.
 */
export class ByteList {
  #pieces: Buffer[] = [];
  /** Number of pieces that `shift` has removed from the front of the list. */
  #removed = 0;
  /**
   * The block that is currently being filled. The block is added to the list of pieces when it is full, or
   * when the pieces are read.
   */
  #block: Buffer | undefined;
  #blockBytes = 0;
  #nextBlockBytes = blockBytesMin;
  #size = 0;

  /** The total number of bytes in the list. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends bytes to the list. A long chunk is stored without a copy, so the caller must not modify
   * it.
   */
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

  /** Removes the first piece from the list and returns it. Returns undefined if the list is empty. */
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

  /** Returns the bytes of the list, in pieces. */
  pieces(): readonly Buffer[] {
    this.#closeBlock();
    return this.#removed === 0 ? this.#pieces : this.#pieces.slice(this.#removed);
  }

  /** Returns all bytes in one buffer. The bytes are copied only if several buffers contain them. */
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

  /**
   * Moves the remaining pieces to the front of the list. This happens only after at least half of all pieces
   * were removed, so each piece moves about once on average.
   */
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
