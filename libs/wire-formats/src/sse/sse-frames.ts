/** One server-sent event. */
export interface SseFrame {
  /** The event name. Undefined for an unnamed event. */
  readonly event?: string;
  /** The data lines, joined with line feeds. */
  readonly data: string;
  /** The value of the event's id field. */
  readonly id?: string;
}

/**
 * All line endings that a reader accepts. Splitting at every line ending prevents text from starting a new
 * field.
 */
const lineEnd = /\r\n|\r|\n/;

/**
 * Encodes an event. The data may be any text. Each line of the data becomes a data line. A reader joins the data
 * lines with LF, regardless of the original line endings.
 * @throws RangeError if the event name or id contains a line ending or NUL, because these could inject fields.
 */
export function encodeSse({ event, data, id }: SseFrame): string {
  const fields: string[] = [];
  if (event !== undefined) fields.push(`event: ${requireOneLine(event)}`);
  if (id !== undefined) fields.push(`id: ${requireOneLine(id)}`);
  for (const line of data.split(lineEnd)) fields.push(`data: ${line}`);
  return `${fields.join('\n')}\n\n`;
}

function requireOneLine(value: string): string {
  if (lineEnd.test(value) || value.includes('\0'))
    throw new RangeError('an event name or id must be one line without NUL');
  return value;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export interface SseDecoderOptions {
  /** Maximum number of bytes in one line and in one event's data. The default is 1 MiB. */
  readonly frameBytesMax?: number;
  /**
   * Whether lines that are not event fields are treated as data. According to the standard, lines that are
   * not event fields are ignored. Google ends a failed stream with a JSON document that is not framed as an
   * event. The default is false.
   */
  readonly keepsBareLines?: boolean;
}

/** Thrown when a line or an event exceeds `frameBytesMax`. */
export class SseFrameTooLongError extends Error {
  override readonly name = 'SseFrameTooLongError';
}

/**
 * Decodes a stream of server-sent events (WHATWG HTML, section 9.2) from chunks of any size. Lines end with
 * LF, CRLF or CR. Comments in the stream are ignored. As the standard requires, `push` never returns an
 * unfinished event. `flush` returns an unfinished event. Decoding takes linear time, because each byte is
 * read once and copied at most twice on average. An unfinished line stays in a buffer that doubles in size
 * when it is full.
 */
export class SseDecoder {
  readonly #frameBytesMax: number;
  readonly #keepsBareLines: boolean;
  /** The beginning of a line that continues in the next chunk. */
  #pending = Buffer.alloc(0);
  #pendingBytes = 0;
  #data: string[] = [];
  #dataBytes = 0;
  #event = '';
  #id: string | undefined;
  #skipsLineFeed = false;
  #isFirstLine = true;

  constructor({ frameBytesMax = 1_048_576, keepsBareLines = false }: SseDecoderOptions = {}) {
    this.#frameBytesMax = frameBytesMax;
    this.#keepsBareLines = keepsBareLines;
  }

  /** @throws SseFrameTooLongError */
  push(given: Uint8Array): SseFrame[] {
    const chunk = Buffer.isBuffer(given) ? given : Buffer.from(given.buffer, given.byteOffset, given.length);
    const frames: SseFrame[] = [];
    let at = this.#skipsLineFeed && chunk[0] === lineFeed ? 1 : 0;
    if (chunk.length > 0) this.#skipsLineFeed = false;
    while (at < chunk.length) {
      const end = findLineEnd(chunk, at);
      if (end === -1) break;
      this.#endLine(chunk, at, end, frames);
      at = end + 1;
      if (chunk[end] !== carriageReturn) continue;
      if (at === chunk.length) this.#skipsLineFeed = true;
      else if (chunk[at] === lineFeed) at += 1;
    }
    this.#keep(chunk, at, chunk.length);
    return frames;
  }

  /**
   * Call this method at the end of the stream. Returns the last event if the provider omitted the
   * empty line after it.
   */
  flush(): SseFrame[] {
    const frames: SseFrame[] = [];
    if (this.#pendingBytes > 0) this.#endLine(this.#pending, 0, 0, frames);
    this.#endFrame(frames);
    return frames;
  }

  /** Appends the bytes of `chunk` from `start` to `end` to the unfinished line. */
  #keep(chunk: Buffer, start: number, end: number): void {
    const length = this.#pendingBytes + end - start;
    if (length + this.#dataBytes > this.#frameBytesMax) {
      throw new SseFrameTooLongError(`a line or event exceeds ${this.#frameBytesMax} bytes`);
    }
    if (length > this.#pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.#pending.length * 2, 256));
      larger.set(this.#pending.subarray(0, this.#pendingBytes));
      this.#pending = larger;
    }
    chunk.copy(this.#pending, this.#pendingBytes, start, end);
    this.#pendingBytes = length;
  }

  /** Completes a line with the bytes of `chunk` from `start` to `end`. */
  #endLine(chunk: Buffer, start: number, end: number, frames: SseFrame[]): void {
    let length = end - start;
    let line: string;
    if (this.#pendingBytes > 0 || length + this.#dataBytes > this.#frameBytesMax) {
      this.#keep(chunk, start, end);
      length = this.#pendingBytes;
      line = this.#pending.toString('utf8', 0, length);
      this.#pendingBytes = 0;
    } else line = length === 0 ? '' : chunk.toString('utf8', start, end);
    if (this.#isFirstLine && line.startsWith('\ufeff')) line = line.slice(1);
    this.#isFirstLine = false;
    if (line === '') this.#endFrame(frames);
    else this.#readField(line, length);
  }

  #readField(line: string, length: number): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const raw = colon === -1 ? '' : line.slice(colon + 1);
    const value = raw.startsWith(' ') ? raw.slice(1) : raw;
    if (name === 'data') {
      this.#data.push(value);
      this.#dataBytes += length + 1;
    } else if (name === 'event') {
      this.#event = value;
    } else if (name === 'id') {
      if (!value.includes('\0')) this.#id = value;
    } else if (this.#keepsBareLines && name !== 'retry') {
      this.#data.push(line);
      this.#dataBytes += length + 1;
    }
  }

  #endFrame(frames: SseFrame[]): void {
    if (this.#data.length > 0) {
      frames.push({
        data: this.#data.join('\n'),
        ...(this.#event === '' ? {} : { event: this.#event }),
        ...(this.#id === undefined ? {} : { id: this.#id }),
      });
    }
    this.#data = [];
    this.#dataBytes = 0;
    this.#event = '';
    this.#id = undefined;
  }
}

function findLineEnd(chunk: Uint8Array, from: number): number {
  for (let at = from; at < chunk.length; at += 1) {
    if (chunk[at] === lineFeed || chunk[at] === carriageReturn) return at;
  }
  return -1;
}
