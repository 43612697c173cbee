import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, keyBytes } from './aes-gcm.ts';
import type { KeyBinding, KeyEncryptionKey } from './key-encryption-key.port.ts';

const wrappingInfo = 'agent-gateway provider-vault data key wrapping v1';
const fingerprintInfo = 'agent-gateway provider-vault key fingerprint v1';
const fingerprintBytes = 12;

/** A key-encryption key that the process was given. Each use has a key of its own, derived by HKDF-SHA256 (RFC 5869). */
export class LocalKey implements KeyEncryptionKey {
  readonly fingerprint: string;
  readonly #wrappingKey: Buffer;

  /** 32 random bytes. */
  constructor(key: Buffer) {
    if (key.length !== keyBytes) throw new RangeError(`must be ${keyBytes} bytes`);
    this.#wrappingKey = deriveKey(key, wrappingInfo, keyBytes);
    this.fingerprint = `local:${deriveKey(key, fingerprintInfo, fingerprintBytes).toString('hex')}`;
  }

  async wrap(key: Buffer, { associatedData }: KeyBinding): Promise<Buffer<ArrayBuffer>> {
    return Promise.resolve(encrypt(this.#wrappingKey, key, associatedData));
  }

  async unwrap(wrapped: Uint8Array, { associatedData }: KeyBinding): Promise<Buffer> {
    return Promise.resolve(decrypt(this.#wrappingKey, wrapped, associatedData));
  }
}

function deriveKey(key: Buffer, info: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), info, bytes));
}
