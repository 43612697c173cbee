import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import type { Turn } from '../admission/admission.ts';
import { bodyMemoryFactor } from '../pipeline/stages/parse/parse.ts';
import { clientLeft, tooLarge } from '../request/read-body.ts';
import type { ModelPlace, ModelScanner } from './model-scanner.ts';
import { modelMissing } from './model-scanner.ts';

/** Maximum number of bytes held in memory until the model is known. Bytes above the maximum are written to disk. */
const memoryBytesMax = 256 * 1024;

/** The chunks of a request body that have been read, and the admission slot that counts the buffered bytes. */
interface HeldParts {
  readonly request: IncomingMessage;
  readonly turn: Pick<Turn, 'memory' | 'disk'> | null;
  /** The scanner that found the model name. The scanner also checks the remaining bytes of the request body. */
  readonly scanner: ModelScanner;
  readonly chunks: Buffer[];
  readonly file: SealedFile | undefined;
  readonly size: number;
}

/** A request body of which only the part up to the model's name was read. The rest of the body is read later. */
export class HeldBody {
  place: ModelPlace;
  readonly #request: IncomingMessage;
  readonly #scanner: ModelScanner;
  #chunks: Buffer[];
  #file: SealedFile | undefined;
  readonly #bytesMax: number;
  readonly #turn: HeldParts['turn'];
  #size: number;
  #isWhole = false;

  constructor(place: ModelPlace, held: HeldParts, bytesMax: number) {
    this.place = place;
    this.#turn = held.turn;
    this.#request = held.request;
    this.#scanner = held.scanner;
    this.#chunks = held.chunks;
    this.#file = held.file;
    this.#size = held.size;
    this.#bytesMax = bytesMax;
  }

  /**
   * Replaces the whole body with the given bytes. In the edited bytes, the model may be at a different position.
   */
  replace(bytes: Buffer, place: ModelPlace): void {
    this.place = place;
    this.#chunks = [bytes];
    this.#size = bytes.length;
    this.#isWhole = true;
  }

  /** Whether the whole body is buffered and can be read a second time. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Buffers a short body completely, so that the body can be sent again if a provider call fails. A long
   * body, or a body without a declared length, is streamed.
   */
  async holdRest(): Promise<void> {
    const declared = Number(this.#request.headers['content-length'] ?? Number.NaN);
    if (this.#isWhole || this.#file !== undefined || !(declared <= memoryBytesMax)) return;
    await this.#readRest();
  }

  /**
   * Returns the whole body in memory, for a provider that needs a different JSON structure or a signature.
   * @throws GatewayError `request_too_large` if the body exceeds the size limit, or `overloaded` if the account
   * may not use this much memory now
   */
  async holdAll(): Promise<Buffer> {
    if (!this.#isWhole) {
      if (this.#file !== undefined) this.#turn?.memory.add(this.#size * bodyMemoryFactor);
      const held: Buffer[] = [];
      for await (const chunk of this.#held()) held.push(chunk);
      this.#chunks = held;
      await this.close();
      this.#file = undefined;
      await this.#readRest();
    }
    const [only, ...others] = this.#chunks;
    if (only === undefined || others.length > 0) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  async #readRest(): Promise<void> {
    for (;;) {
      const chunk = await nextChunk(this.#request);
      if (chunk === null) break;
      this.#size += chunk.length;
      if (this.#size > this.#bytesMax) throw tooLarge(this.#bytesMax);
      this.#scanner.pushRest(chunk);
      this.#turn?.memory.add(chunk.length * bodyMemoryFactor);
      this.#chunks.push(chunk);
    }
    this.#isWhole = true;
  }

  /**
   * Returns the whole body with the model replaced. The source is read as fast as the consumer reads the returned body.
   * @throws GatewayError `request_too_large` if the body exceeds the size limit. Also throws errors of the scanner
   * that checks the rest of the body.
   */
  async *read(model: Buffer): AsyncGenerator<Buffer> {
    const { start, end } = this.place;
    let at = 0;
    for await (const chunk of this.#held()) {
      const from = at;
      at += chunk.length;
      if (from < start) yield chunk.subarray(0, Math.min(chunk.length, start - from));
      if (from < end && end <= at) yield model;
      if (at > end) yield chunk.subarray(Math.max(0, end - from));
    }
    if (this.#isWhole) return;
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      this.#size += chunk.length;
      if (this.#size > this.#bytesMax) throw tooLarge(this.#bytesMax);
      this.#scanner.pushRest(chunk);
      yield chunk;
    }
  }

  /**
   * Returns the length of the body after the model name is replaced. Returns undefined if the client declared no length.
   */
  lengthWith(model: Buffer): number | undefined {
    const declared = this.#request.headers['content-length'];
    if (declared === undefined) return undefined;
    return Number(declared) + model.length - (this.place.end - this.place.start);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async *#held(): AsyncGenerator<Buffer> {
    if (this.#file) yield* this.#file.read();
    else yield* this.#chunks;
  }
}

/**
 * Reads a body until its model is known, regardless of the field's position.
 * @param turn the request's admission slot, against which the buffered bytes count.
 * @throws GatewayError `missing_field` if the body ends without a model name.
 * @throws GatewayError `request_too_large` if the body exceeds the size limit.
 * @throws GatewayError `overloaded` if the account may not use more memory now.
 * @throws GatewayError any error of the scanner
 */
export async function holdUntilModel(
  request: IncomingMessage,
  scanner: ModelScanner,
  bytesMax: number,
  turn: HeldParts['turn'] = null,
): Promise<HeldBody> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const chunks: Buffer[] = [];
  let file: SealedFile | undefined;
  let size = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(request);
      if (chunk === null) throw modelMissing();
      size += chunk.length;
      if (size > bytesMax) throw tooLarge(bytesMax);
      if (file === undefined && size > memoryBytesMax) {
        turn?.disk.add(size - chunk.length);
        file = await SealedFile.create(tmpdir());
        for (const kept of chunks.splice(0)) await file.append(kept);
      }
      if (file === undefined) {
        turn?.memory.add(chunk.length * bodyMemoryFactor);
        chunks.push(chunk);
      } else {
        turn?.disk.add(chunk.length);
        await file.append(chunk);
      }
      const place = scanner.push(chunk);
      if (place) return new HeldBody(place, { request, turn, scanner, chunks, file, size }, bytesMax);
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
}

/**
 * Reads the next bytes of a request body. The promise resolves with null at the end of the request. Rejects
 * if the client disconnects.
 */
function nextChunk(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      request.off('readable', take).off('end', end).off('error', fail).off('close', leave);
      settle();
    };
    const take = (): void => {
      const chunk = request.read() as Buffer | null;
      if (chunk !== null) done(() => resolve(chunk));
    };
    const end = (): void => done(() => resolve(null));
    const fail = (error: Error): void => done(() => reject(error));
    const leave = (): void => done(() => reject(clientLeft()));
    if (request.readableEnded) {
      resolve(null);
      return;
    }
    // After the client has disconnected, the request stream emits no further event.
    if (request.destroyed) {
      reject(clientLeft());
      return;
    }
    request.on('readable', take).once('end', end).once('error', fail).once('close', leave);
    take();
  });
}

const algorithm = 'aes-256-ctr';
const readBytes = 64 * 1024;

/**
 * A temporary file for request bytes that exceed the memory limit. The encryption key for the temporary file
 * exists only in this object. The file is unlinked right after its creation, so it disappears when the process ends.
 */
class SealedFile {
  readonly #file: FileHandle;
  readonly #key = randomBytes(32);
  readonly #nonce = randomBytes(16);
  readonly #cipher = createCipheriv(algorithm, this.#key, this.#nonce);
  #length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(directory: string): Promise<SealedFile> {
    const path = join(directory, `gateway-body-${uuidv7()}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new SealedFile(file);
  }

  async append(bytes: Buffer): Promise<void> {
    const sealed = this.#cipher.update(bytes);
    let written = 0;
    while (written < sealed.length) {
      const { bytesWritten } = await this.#file.write(sealed, written);
      written += bytesWritten;
    }
    this.#length += sealed.length;
  }

  /** Reads all bytes of the file from the start. */
  async *read(): AsyncGenerator<Buffer> {
    const decipher = createDecipheriv(algorithm, this.#key, this.#nonce);
    // Decryption copies the bytes, so one read buffer can be reused, which reduces garbage collection.
    const buffer = Buffer.allocUnsafe(readBytes);
    for (let at = 0; at < this.#length;) {
      const { bytesRead } = await this.#file.read(buffer, 0, readBytes, at);
      if (bytesRead === 0) throw new Error('the temporary file of a request body is shorter than expected');
      at += bytesRead;
      yield decipher.update(buffer.subarray(0, bytesRead));
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
