import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { clientLeft, tooLarge } from '../request/read-body.ts';
import type { ModelPlace, ModelScanner } from './model-scanner.ts';
import { modelMissing } from './model-scanner.ts';

/** What is kept in memory of a body that has not named its model yet; what comes after goes to disk. */
const memoryBytesMax = 256 * 1024;

/** A body as far as it had to be read to learn its model. The rest is still to come from the client. */
export class HeldBody {
  readonly place: ModelPlace;
  readonly #request: IncomingMessage;
  #chunks: Buffer[];
  #file: SealedFile | undefined;
  readonly #bytesMax: number;
  #size: number;
  #isWhole = false;

  constructor(
    place: ModelPlace,
    held: { request: IncomingMessage; chunks: Buffer[]; file: SealedFile | undefined; size: number },
    bytesMax: number,
  ) {
    this.place = place;
    this.#request = held.request;
    this.#chunks = held.chunks;
    this.#file = held.file;
    this.#size = held.size;
    this.#bytesMax = bytesMax;
  }

  /** Whether it can be read more than once. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Reads a short body to its end, so that it can be sent again when a call fails. A long one, or one that does not say how
   * long it is, is passed on as it comes.
   */
  async holdRest(): Promise<void> {
    const declared = Number(this.#request.headers['content-length'] ?? Number.NaN);
    if (this.#isWhole || this.#file !== undefined || !(declared <= memoryBytesMax)) return;
    await this.#readRest();
  }

  /** All of it, in memory: for a provider that wants it in another shape, or signed. Throws `request_too_large`. */
  async holdAll(): Promise<Buffer> {
    if (!this.#isWhole) {
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
      this.#chunks.push(chunk);
    }
    this.#isWhole = true;
  }

  /** The whole body, as fast as it is taken, with other bytes in the model's place. Throws `request_too_large`. */
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
      yield chunk;
    }
  }

  /** Length of the body with the other model in it; undefined where the client did not declare one. */
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
 * Reads a body until it has named its model, wherever that stands.
 * @throws GatewayError `missing_field` when it ends without; `request_too_large`; what the scanner throws
 */
export async function holdUntilModel(
  request: IncomingMessage,
  scanner: ModelScanner,
  bytesMax: number,
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
        file = await SealedFile.create(tmpdir());
        for (const kept of chunks.splice(0)) await file.append(kept);
      }
      if (file === undefined) chunks.push(chunk);
      else await file.append(chunk);
      const place = scanner.push(chunk);
      if (place) return new HeldBody(place, { request, chunks, file, size }, bytesMax);
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
}

/** The next bytes of a request, leaving the rest in it; null at its end. Rejects when the client leaves. */
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
    // Of a client that has left already no event comes any more.
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
 * A place on disk for bytes of a request that do not fit in memory. Nobody else can read it: it is encrypted under a key
 * that this object alone holds, and has no name from the moment it is made, so that it dies with the process.
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

  /** The bytes from the first one on. */
  async *read(): AsyncGenerator<Buffer> {
    const decipher = createDecipheriv(algorithm, this.#key, this.#nonce);
    // Deciphering copies, so that one place to read into is enough: a new one each time would be as much garbage again.
    const buffer = Buffer.allocUnsafe(readBytes);
    for (let at = 0; at < this.#length;) {
      const { bytesRead } = await this.#file.read(buffer, 0, readBytes, at);
      if (bytesRead === 0) throw new Error('a held body ended early');
      at += bytesRead;
      yield decipher.update(buffer.subarray(0, bytesRead));
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
