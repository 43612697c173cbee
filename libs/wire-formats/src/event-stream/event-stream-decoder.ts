import { crc32 } from 'node:zlib';
import type { EventStreamHeader, EventStreamMessage } from './event-stream-message.ts';
import {
  EventStreamError,
  checksumBytes,
  headerTypes,
  headersBytesMax,
  messageBytesMax,
  messageBytesMin,
  preludeBytes,
} from './event-stream-message.ts';

export interface EventStreamDecoderOptions {
  /** Maximum total length of a message in bytes. The default is the specification's limit. */
  readonly messageBytesMax?: number;
}

/** Initial size of the buffer for a message that spans several chunks. A full buffer at least doubles in size. */
const bufferBytesMin = 1024;

/**
 * Decodes messages from a stream of chunks. The decoder verifies the checksum of a message's length before it
 * uses the length. The decoder allocates memory only for received bytes.
 */
export class EventStreamDecoder {
  readonly #bytesMax: number;
  #buffer: Buffer = Buffer.alloc(0);
  #bufferedBytes = 0;
  #failure: EventStreamError | undefined;

  constructor(options: EventStreamDecoderOptions = {}) {
    this.#bytesMax = options.messageBytesMax ?? messageBytesMax;
  }

  /** The bytes of an incomplete message that have been received so far. */
  get pendingBytes(): number {
    return this.#bufferedBytes;
  }

  /**
   * Yields the messages that the chunk completes, one at a time, so that messages before a corrupt message are not
   * lost. Consume the iterator completely before passing the next chunk. Message payloads share memory with the chunk.
   * @throws EventStreamError for a corrupt message. After the error, the decoder cannot decode further
   * messages.
   */
  *push(chunk: Uint8Array): Generator<EventStreamMessage, void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      yield* this.#decode(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    } catch (thrown) {
      if (thrown instanceof EventStreamError) this.#failure = thrown;
      throw thrown;
    }
  }

  *#decode(chunk: Buffer): Generator<EventStreamMessage, void> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#bufferedBytes === 0 && rest.length >= preludeBytes) {
        const length = readPrelude(rest, this.#bytesMax);
        if (rest.length >= length) {
          yield decodeMessage(rest.subarray(0, length));
          rest = rest.subarray(length);
          continue;
        }
      }
      rest = this.#append(rest);
      const whole = this.#takeWhole();
      if (whole !== undefined) yield decodeMessage(whole);
    }
  }

  /**
   * Copies the bytes that complete the current message, starting with the prelude, and returns the remaining
   * bytes of the chunk.
   */
  #append(chunk: Buffer): Buffer {
    const needed = this.#neededBytes() - this.#bufferedBytes;
    const taken = chunk.subarray(0, needed);
    this.#makeRoom(this.#bufferedBytes + taken.length);
    taken.copy(this.#buffer, this.#bufferedBytes);
    this.#bufferedBytes += taken.length;
    return chunk.subarray(taken.length);
  }

  #neededBytes(): number {
    if (this.#bufferedBytes < preludeBytes) return preludeBytes;
    return this.#buffer.readUInt32BE(0);
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    const room = Buffer.allocUnsafe(Math.max(bytes, this.#buffer.length * 2, bufferBytesMin));
    this.#buffer.copy(room, 0, 0, this.#bufferedBytes);
    this.#buffer = room;
  }

  #takeWhole(): Buffer | undefined {
    if (this.#bufferedBytes < preludeBytes) return undefined;
    const length =
      this.#bufferedBytes === preludeBytes ? readPrelude(this.#buffer, this.#bytesMax) : this.#neededBytes();
    if (this.#bufferedBytes < length) return undefined;
    const whole = this.#buffer.subarray(0, length);
    // The decoded message keeps its buffer, so the next message gets a new buffer.
    this.#buffer = Buffer.alloc(0);
    this.#bufferedBytes = 0;
    return whole;
  }
}

/** Verifies the prelude of a message and returns the message length. */
function readPrelude(bytes: Buffer, bytesMax: number): number {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new EventStreamError('the checksum of a message prelude is wrong');
  const length = bytes.readUInt32BE(0);
  const headersLength = bytes.readUInt32BE(4);
  if (length < messageBytesMin || length > bytesMax) {
    throw new EventStreamError(`a message length of ${length} bytes is outside the limits`);
  }
  if (headersLength > headersBytesMax || headersLength > length - messageBytesMin) {
    throw new EventStreamError(`a headers length of ${headersLength} bytes is outside the limits`);
  }
  return length;
}

/** @throws EventStreamError for a wrong checksum or an invalid header. */
function decodeMessage(bytes: Buffer): EventStreamMessage {
  const end = bytes.length - checksumBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw new EventStreamError('the checksum of a message is wrong');
  const payloadStart = preludeBytes + bytes.readUInt32BE(4);
  return {
    headers: decodeHeaders(bytes.subarray(preludeBytes, payloadStart)),
    payload: bytes.subarray(payloadStart, end),
  };
}

/** Decodes a message's headers. The caller must verify the checksum of the message first. */
function decodeHeaders(bytes: Buffer): Map<string, EventStreamHeader> {
  const headers = new Map<string, EventStreamHeader>();
  const reader = new HeaderReader(bytes);
  while (!reader.isAtEnd) {
    const name = reader.text(reader.take(1).readUInt8());
    if (name === '') throw new EventStreamError('a header has no name');
    headers.set(name, decodeValue(reader));
  }
  return headers;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class HeaderReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new EventStreamError('a header is truncated');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  sized(): Buffer {
    return this.take(this.take(2).readUInt16BE());
  }

  text(length: number): string {
    return this.decode(this.take(length));
  }

  decode(bytes: Buffer): string {
    try {
      return utf8.decode(bytes);
    } catch {
      throw new EventStreamError('a header is not valid UTF-8');
    }
  }
}

function decodeValue(reader: HeaderReader): EventStreamHeader {
  const type = reader.take(1).readUInt8();
  switch (type) {
    case headerTypes.true:
      return { type: 'boolean', value: true };
    case headerTypes.false:
      return { type: 'boolean', value: false };
    case headerTypes.byte:
      return { type: 'byte', value: reader.take(1).readInt8() };
    case headerTypes.short:
      return { type: 'short', value: reader.take(2).readInt16BE() };
    case headerTypes.integer:
      return { type: 'integer', value: reader.take(4).readInt32BE() };
    case headerTypes.long:
      return { type: 'long', value: reader.take(8).readBigInt64BE() };
    case headerTypes.binary:
      return { type: 'binary', value: reader.sized() };
    case headerTypes.string:
      return { type: 'string', value: reader.decode(reader.sized()) };
    case headerTypes.timestamp:
      return { type: 'timestamp', value: reader.take(8).readBigInt64BE() };
    case headerTypes.uuid:
      return { type: 'uuid', value: reader.take(16).toString('hex').replace(uuidGroups, '$1-$2-$3-$4-$5') };
    default:
      throw new EventStreamError(`a header has the unknown type ${type}`);
  }
}

const uuidGroups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
