import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/errors';
import { JsonDepthError, JsonSyntaxError, scanJson } from '@gateway/wire-formats';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ByteList } from '../bytes/byte-list.ts';
import { parseInput } from './validate-input.ts';

/**
 * A function that reserves memory before the request stores more body bytes. The function receives the number
 * of bytes, and throws an error if the request may not store that many bytes now.
 */
export type ReserveBytes = (bytes: number) => void;

/**
 * Reads a whole request body, up to a size limit. If the declared length of a body exceeds the limit, the body is
 * rejected without being read. If the body is longer than declared, it is rejected when it exceeds the limit.
 * Throws `request_too_large`, the error of `reserve`, or the stream's own error if the client disconnects.
 * @param reserve receives the declared length before the body is read, or the length of each chunk if the
 * client declared none
 */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
  reserve: ReserveBytes = () => undefined,
): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  reserve(declared);
  // After the client has disconnected, the request stream emits no further events.
  if (request.destroyed || request.readableEnded) throw clientLeft();
  return new Promise((resolve, reject) => {
    const collected = new CollectedBytes(declared);
    const take = (chunk: Buffer): void => {
      try {
        const size = collected.size + chunk.length;
        if (size > bytesMax) throw tooLarge(bytesMax);
        if (size > declared) reserve(Math.min(size - declared, chunk.length));
        collected.push(chunk);
      } catch (error) {
        request.pause();
        // The stream may still deliver the rest of a rejected body, which is discarded.
        request.off('data', take);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    request.on('data', take);
    request.once('end', () => resolve(collected.bytes()));
    request.once('error', reject);
    request.once('aborted', () => reject(clientLeft()));
  });
}

/** A body above this number of bytes is read into one buffer of its declared length. */
const collectedBytesMax = 64 * 1024;

/**
 * Frees the memory of a chunk after the bytes were copied. V8 runs a full garbage collection whenever 64 MiB of
 * buffers were allocated since the last one, so a long body would cost several milliseconds of collection. A chunk
 * that shares its memory with other chunks is left to the garbage collector.
 */
function freeChunk({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * Collects a request body. A long body with a declared length is copied into one buffer as it arrives, so its bytes
 * are in memory only once. Joining the chunks at the end would need memory for the chunks and for the joined bytes.
 */
class CollectedBytes {
  #whole: Buffer | undefined;
  #chunks = new ByteList();
  size = 0;

  constructor(declared: number) {
    if (declared > collectedBytesMax) this.#whole = Buffer.allocUnsafeSlow(declared);
  }

  push(chunk: Buffer): void {
    const whole = this.#whole;
    const { length } = chunk;
    if (whole !== undefined && this.size + length <= whole.length) {
      chunk.copy(whole, this.size);
      freeChunk(chunk);
    } else {
      if (whole !== undefined) this.#chunks.push(whole.subarray(0, this.size));
      this.#whole = undefined;
      this.#chunks.push(chunk);
    }
    this.size += length;
  }

  bytes(): Buffer {
    return this.#whole?.subarray(0, this.size) ?? this.#chunks.concat();
  }
}

export function clientLeft(): Error {
  return new Error('the client disconnected while sending its request');
}

export function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('request_too_large', {
    message: `The body is larger than ${renderMebibytes(bytesMax)}.`,
  });
}

/** Formats a size in bytes as MiB with at most two decimals, for example `32 MiB`. */
function renderMebibytes(bytes: number): string {
  return `${Number((bytes / 1024 ** 2).toFixed(2))} MiB`;
}

/** The error for a body that is not JSON. The parameter `offset` is the position of the first wrong byte. */
export function malformedJson(bytes: Buffer, offset: number): GatewayError {
  const message =
    bytes.length === 0
      ? 'The body is empty. Send a JSON object.'
      : `The body is not valid JSON (at byte ${offset}).`;
  return new GatewayError('malformed_json', { message });
}

/**
 * Checks the content type of a request.
 * @throws GatewayError `unsupported_media_type` unless the content type of the body is JSON
 */
export function requireJson(request: IncomingMessage): void {
  const declared = request.headers['content-type'] ?? '';
  const mediaType = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (mediaType !== 'application/json') throw new GatewayError('unsupported_media_type');
}

/**
 * Maximum size of the body of an account request, in bytes. A tool list with 4,096 names of 256 characters
 * fits into the maximum size.
 */
const accountBodyBytesMax = 2 * 1024 * 1024;

/**
 * Reads and validates a JSON body. Throws errors from the error registry. The field `param` of an error
 * contains the name of the invalid field.
 */
export async function readJson<Schema extends z.ZodType>(
  request: FastifyRequest,
  schema: Schema,
  bytesMax = accountBodyBytesMax,
): Promise<z.output<Schema>> {
  requireJson(request.raw);
  const bytes = await readBody(request.raw, bytesMax);
  return parseInput(schema, parseJson(bytes));
}

/**
 * Reads a JSON body like `readJson`, but the body is optional. An empty body is parsed as an empty object,
 * regardless of the content type.
 */
export async function readOptionalJson<Schema extends z.ZodType>(
  request: FastifyRequest,
  schema: Schema,
  bytesMax = accountBodyBytesMax,
): Promise<z.output<Schema>> {
  const bytes = await readBody(request.raw, bytesMax);
  if (bytes.length === 0) return parseInput(schema, {});
  requireJson(request.raw);
  return parseInput(schema, parseJson(bytes));
}

function parseJson(bytes: Buffer): unknown {
  try {
    const tape = scanJson(bytes, { depthMax: 128 });
    return tape.value(tape.root);
  } catch (error) {
    if (error instanceof JsonDepthError) throw new GatewayError('too_deep');
    if (error instanceof JsonSyntaxError) throw malformedJson(bytes, error.offset);
    throw error;
  }
}
