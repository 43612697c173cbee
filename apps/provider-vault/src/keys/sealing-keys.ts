import { randomBytes } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { sealingKeyPairFromSeed, type SealingKeyPair } from '@gateway/messaging';
import { keyBytes } from '../encryption/aes-gcm.ts';
import { bindSealingSeed } from '../encryption/associated-data.ts';
import type { KeyRing } from '../encryption/key-ring.ts';

/** A version of the key-encryption key, with the seed for the sealing key pair of the version. */
export interface SealedSeed {
  readonly version: number;
  readonly wrappedSeed: Uint8Array | null;
}

/**
 * The key pairs with which gateways encrypt credentials, one per version of the key-encryption key. Any
 * replica can receive an encrypted credential, so all replicas have all key pairs. The seeds of the key pairs
 * are in the database, encrypted under the key-encryption key.
 */
export class SealingKeys {
  readonly #keyRing: KeyRing;
  readonly #opened = new Map<number, Promise<SealingKeyPair>>();

  constructor(keyRing: KeyRing) {
    this.#keyRing = keyRing;
  }

  /** Creates a seed for a key version, encrypted under the key of that version. */
  async createSeed(version: number): Promise<Buffer<ArrayBuffer>> {
    const seed = randomBytes(keyBytes);
    try {
      return await this.#keyRing.key(version).wrap(seed, bindSealingSeed(version));
    } finally {
      seed.fill(0);
    }
  }

  /**
   * Returns the key pair for a seed. Each seed is unwrapped (decrypted) only once. Rejects with
   * `service_unavailable` if the seed's key-encryption key cannot be used.
   */
  async open({ version, wrappedSeed }: SealedSeed): Promise<SealingKeyPair> {
    if (wrappedSeed === null) {
      throw new GatewayError('service_unavailable', { detail: `key version ${version} has no sealing key` });
    }
    const known = this.#opened.get(version);
    if (known) return known;
    const opened = this.#unwrap(version, wrappedSeed);
    this.#opened.set(version, opened);
    opened.catch(() => this.#opened.delete(version));
    return opened;
  }

  async #unwrap(version: number, wrappedSeed: Uint8Array): Promise<SealingKeyPair> {
    const seed = await this.#keyRing.key(version).unwrap(wrappedSeed, bindSealingSeed(version));
    try {
      return sealingKeyPairFromSeed(seed);
    } finally {
      seed.fill(0);
    }
  }
}
