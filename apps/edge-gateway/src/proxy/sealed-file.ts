import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';

const algorithm = 'aes-256-ctr';
const readBytes = 64 * 1024;

/**
 * A place on disk for bytes of a request that do not fit in memory. Nobody else can read it: it is encrypted under a key
 * that this object alone holds, and has no name from the moment it is made, so that it dies with the process.
 */
export class SealedFile {
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
