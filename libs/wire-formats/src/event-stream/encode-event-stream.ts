import { crc32 } from 'node:zlib';
import {
  checksumBytes,
  headersBytesMax,
  headerTypes,
  messageBytesMax,
  preludeBytes,
  type EventStreamHeader,
  type EventStreamMessage,
} from './event-stream-message.ts';

const nameBytesMax = 255;
/** The specification's limit for a string or binary header value, in bytes. */
const valueBytesMax = 32_767;

/**
 * Encodes a message.
 * @throws RangeError for header names of 0 or more than 255 bytes, and for header values of more than 32,767
 * bytes.
 * @throws RangeError for a number outside the range of its type, and for a message above the specification's
 * limits.
 */
export function encodeEventStream({ headers, payload }: EventStreamMessage): Buffer {
  const fields = Buffer.concat([...headers].flatMap(([name, header]) => encodeHeader(name, header)));
  const total = preludeBytes + fields.length + payload.byteLength + checksumBytes;
  if (fields.length > headersBytesMax || total > messageBytesMax)
    throw new RangeError('the message exceeds the size limit of an event stream');
  const bytes = Buffer.allocUnsafe(total);
  bytes.writeUInt32BE(total, 0);
  bytes.writeUInt32BE(fields.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  fields.copy(bytes, preludeBytes);
  bytes.set(payload, preludeBytes + fields.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, total - checksumBytes)), total - checksumBytes);
  return bytes;
}

function encodeHeader(name: string, header: EventStreamHeader): Buffer[] {
  const text = Buffer.from(name);
  if (text.length === 0 || text.length > nameBytesMax)
    throw new RangeError('a header name must have 1 to 255 bytes');
  return [Buffer.of(text.length), text, encodeValue(header)];
}

function encodeValue(header: EventStreamHeader): Buffer {
  switch (header.type) {
    case 'boolean':
      return Buffer.of(header.value ? headerTypes.true : headerTypes.false);
    case 'byte':
    case 'short':
    case 'integer':
      return encodeNumber(header.type, header.value);
    case 'long':
    case 'timestamp': {
      const bytes = Buffer.of(headerTypes[header.type], 0, 0, 0, 0, 0, 0, 0, 0);
      bytes.writeBigInt64BE(header.value, 1);
      return bytes;
    }
    case 'binary':
      return encodeSized(headerTypes.binary, header.value);
    case 'string':
      return encodeSized(headerTypes.string, Buffer.from(header.value));
    case 'uuid':
      return encodeUuid(header.value);
  }
}

function encodeNumber(type: 'byte' | 'short' | 'integer', value: number): Buffer {
  const size = { byte: 1, short: 2, integer: 4 }[type];
  const bytes = Buffer.alloc(1 + size, headerTypes[type]);
  bytes.writeIntBE(value, 1, size);
  return bytes;
}

function encodeSized(type: number, value: Uint8Array): Buffer {
  if (value.byteLength > valueBytesMax) throw new RangeError('a header value must have at most 32767 bytes');
  return Buffer.concat([Buffer.of(type, value.byteLength >> 8, value.byteLength & 0xff), value]);
}

function encodeUuid(value: string): Buffer {
  const hex = value.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError('a UUID must have 32 hexadecimal digits');
  return Buffer.from(headerTypes.uuid.toString(16).padStart(2, '0') + hex, 'hex');
}
