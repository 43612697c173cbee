import { hkdfSync } from 'node:crypto';
import { sealingKeyPairFromSeed, type SealingKeyPair } from '@gateway/messaging';
import { decrypt, encrypt, keyBytes } from './aes-gcm.ts';
import type { KeyRing } from './key-ring.port.ts';

const sealingInfo = 'agent-gateway provider-vault sealing key v1';
const wrappingInfo = 'agent-gateway provider-vault data key wrapping v1';

/** Key-encryption keys that the process was given. Each use has a key of its own, derived by HKDF-SHA256. */
export class LocalKeyRing implements KeyRing {
  readonly currentVersion: number;
  readonly #wrappingKeys = new Map<number, Buffer>();
  readonly #sealingKeyPairs: readonly SealingKeyPair[];

  /** Keys of 32 bytes by version, one at least. */
  constructor(keys: ReadonlyMap<number, Buffer>) {
    const versions = [...keys.keys()].sort((a, b) => b - a);
    const [currentVersion] = versions;
    if (currentVersion === undefined) throw new RangeError('holds no key');
    this.currentVersion = currentVersion;
    this.#sealingKeyPairs = versions.map((version) =>
      sealingKeyPairFromSeed(deriveKey(keys.get(version) ?? Buffer.alloc(0), sealingInfo)),
    );
    for (const [version, key] of keys) this.#wrappingKeys.set(version, deriveKey(key, wrappingInfo));
  }

  /** To which credentials are sealed on their way in; the current one first. Replicas with the same keys share them. */
  get sealingKeyPairs(): readonly SealingKeyPair[] {
    return this.#sealingKeyPairs;
  }

  async wrap(dataKey: Buffer, keyVersion: number, associatedData: Buffer): Promise<Buffer<ArrayBuffer>> {
    return Promise.resolve(encrypt(this.#keyOf(keyVersion), dataKey, associatedData));
  }

  async unwrap(wrapped: Uint8Array, keyVersion: number, associatedData: Buffer): Promise<Buffer> {
    return Promise.resolve(decrypt(this.#keyOf(keyVersion), wrapped, associatedData));
  }

  #keyOf(version: number): Buffer {
    const key = this.#wrappingKeys.get(version);
    if (key === undefined) throw new RangeError(`There is no key-encryption key of version ${version}.`);
    return key;
  }
}

/**
 * Parses one key (32 bytes in base64; its version is 1), or several as `<version>:<base64>`, separated by commas or white
 * space. Throws a RangeError that says what is wrong and nothing of the value.
 */
export function parseKeyRing(text: string): LocalKeyRing {
  const keys = new Map<number, Buffer>();
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const [, versionText = '1', base64 = ''] = /^(?:([1-9]\d{0,8}):)?([A-Za-z0-9+/]{43}=)$/.exec(entry) ?? [];
    const key = Buffer.from(base64, 'base64');
    const version = Number(versionText);
    if (key.length !== keyBytes) throw new RangeError(`must be ${keyBytes} bytes in base64`);
    if (keys.has(version)) throw new RangeError(`has two keys of version ${version}`);
    keys.set(version, key);
  }
  return new LocalKeyRing(keys);
}

function deriveKey(key: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), info, keyBytes));
}
