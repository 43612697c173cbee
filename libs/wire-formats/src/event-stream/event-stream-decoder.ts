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
  /** The longest message that is taken, all of it counted. Default: the specification's bound. */
  readonly messageBytesMax?: number;
}

/** First size of the room for a message that does not come in one chunk. It doubles as bytes come. */
const heldBytesMin = 1024;

/**
 * Reads messages from the bytes of a stream, however they are cut. A length is believed only after its checksum, and
 * room is made for bytes that have come, not for bytes that are announced.
 */
export class EventStreamDecoder {
  readonly #bytesMax: number;
  #held: Buffer = Buffer.alloc(0);
  #heldBytes = 0;
  #failure: EventStreamError | undefined;

  constructor(options: EventStreamDecoderOptions = {}) {
    this.#bytesMax = options.messageBytesMax ?? messageBytesMax;
  }

  /** Bytes of a message that has not come whole. */
  get pendingBytes(): number {
    return this.#heldBytes;
  }

  /**
   * The messages that the chunk completes, one by one, so that those before a corrupt one are told. Read to the end
   * before the next chunk. Payloads share their bytes with the chunk.
   *
   * @throws EventStreamError for a corrupt message; after it nothing more can be read.
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
      if (this.#heldBytes === 0 && rest.length >= preludeBytes) {
        const length = readPrelude(rest, this.#bytesMax);
        if (rest.length >= length) {
          yield decodeMessage(rest.subarray(0, length));
          rest = rest.subarray(length);
          continue;
        }
      }
      rest = this.#hold(rest);
      const whole = this.#takeWhole();
      if (whole !== undefined) yield decodeMessage(whole);
    }
  }

  /** Takes what the message at hand still needs, its prelude first. Gives back what is left. */
  #hold(chunk: Buffer): Buffer {
    const needed = this.#neededBytes() - this.#heldBytes;
    const taken = chunk.subarray(0, needed);
    this.#makeRoom(this.#heldBytes + taken.length);
    taken.copy(this.#held, this.#heldBytes);
    this.#heldBytes += taken.length;
    return chunk.subarray(taken.length);
  }

  #neededBytes(): number {
    if (this.#heldBytes < preludeBytes) return preludeBytes;
    return this.#held.readUInt32BE(0);
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#held.length) return;
    const room = Buffer.allocUnsafe(Math.max(bytes, this.#held.length * 2, heldBytesMin));
    this.#held.copy(room, 0, 0, this.#heldBytes);
    this.#held = room;
  }

  #takeWhole(): Buffer | undefined {
    if (this.#heldBytes < preludeBytes) return undefined;
    const length =
      this.#heldBytes === preludeBytes ? readPrelude(this.#held, this.#bytesMax) : this.#neededBytes();
    if (this.#heldBytes < length) return undefined;
    const whole = this.#held.subarray(0, length);
    // The message keeps these bytes; the next one gets its own.
    this.#held = Buffer.alloc(0);
    this.#heldBytes = 0;
    return whole;
  }
}

/** The length of the message that begins there. */
function readPrelude(bytes: Buffer, bytesMax: number): number {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new EventStreamError('the prelude is corrupt');
  const length = bytes.readUInt32BE(0);
  const headersLength = bytes.readUInt32BE(4);
  if (length < messageBytesMin || length > bytesMax) {
    throw new EventStreamError(`a message of ${length} bytes is out of bounds`);
  }
  if (headersLength > headersBytesMax || headersLength > length - messageBytesMin) {
    throw new EventStreamError(`headers of ${headersLength} bytes are out of bounds`);
  }
  return length;
}

/** @throws EventStreamError when the checksum is wrong, or a header cannot be read. */
function decodeMessage(bytes: Buffer): EventStreamMessage {
  const end = bytes.length - checksumBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw new EventStreamError('a message is corrupt');
  const payloadStart = preludeBytes + bytes.readUInt32BE(4);
  return {
    headers: decodeHeaders(bytes.subarray(preludeBytes, payloadStart)),
    payload: bytes.subarray(payloadStart, end),
  };
}

/** Reads the headers of a message, whose checksum has been found right. */
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
    if (end > this.#bytes.length) throw new EventStreamError('a header is cut off');
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
      throw new EventStreamError('a header is no UTF-8');
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
