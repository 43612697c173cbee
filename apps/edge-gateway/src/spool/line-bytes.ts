const firstBytes = 64 * 1024;
/** Longer than a group of lines as a rule; what one of thousands of tools needed is not kept for good. */
const keptBytesMax = 4 << 20;
/** Of a UTF-16 code unit in UTF-8. */
const bytesPerUnitMax = 3;

/**
 * Where lines are put together, as the bytes that a segment holds. Strings of them would be made of hundreds of pieces, and
 * flattened and encoded when they are written. One place serves a writer for good.
 */
export class LineBytes {
  /** What is written stands in the first `length` of them. */
  bytes = Buffer.allocUnsafeSlow(firstBytes);
  length = 0;

  /** All that was written since it was cleared; good until something else is. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > keptBytesMax) this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  /** Makes room for so many more bytes. */
  reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    this.written.copy(larger);
    this.bytes = larger;
  }

  text(text: string): void {
    this.reserve(text.length * bytesPerUnitMax);
    this.length += this.bytes.write(text, this.length, 'utf8');
  }

  /** An object's JSON text without its last brace: further members follow. */
  openJson(value: object): void {
    this.text(JSON.stringify(value));
    this.length -= 1;
  }
}
