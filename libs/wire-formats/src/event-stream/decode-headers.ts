import { EventStreamError } from './event-stream-error.ts';
import { headerTypes, type EventStreamHeader } from './event-stream-message.ts';

/** Reads the headers of a message, whose checksum has been found right. */
export function decodeHeaders(bytes: Buffer): Map<string, EventStreamHeader> {
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
