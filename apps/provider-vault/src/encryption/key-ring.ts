import { GatewayError } from '@gateway/errors';
import { hkdfSync } from 'node:crypto';
import type { KeyBinding, KeyEncryptionKey } from './key-encryption-key.port.ts';
import { AwsKmsKey, createKmsClient } from './aws-kms-key.adapter.ts';
import type { KmsKeyName } from './parse-keys.ts';
import { decrypt, encrypt, keyBytes } from './aes-gcm.ts';

/**
 * The key-encryption keys of this process, by version. Every key can be used for decryption. The database
 * determines the key for encryption, so that no replica encrypts with a key that another replica lacks.
 */
export class KeyRing {
  /** The key versions in ascending order, with at least one version. */
  readonly versions: readonly number[];
  /** Maps key versions to the fingerprints of their keys. */
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly #keys: ReadonlyMap<number, KeyEncryptionKey>;

  /** @throws RangeError if the map contains no key */
  constructor(keys: ReadonlyMap<number, KeyEncryptionKey>) {
    if (keys.size === 0) throw new RangeError('contains no key');
    this.#keys = keys;
    this.versions = [...keys.keys()].sort((a, b) => a - b);
    this.fingerprints = Object.fromEntries([...keys].map(([version, key]) => [version, key.fingerprint]));
  }

  get highestVersion(): number {
    return this.versions.at(-1) ?? 0;
  }

  /**
   * Returns the key with the given version.
   * @throws GatewayError `service_unavailable` for a version that this replica lacks, because another replica
   * may have the key
   */
  key(version: number): KeyEncryptionKey {
    const key = this.#keys.get(version);
    if (key) return key;
    throw new GatewayError('service_unavailable', {
      detail: `this replica has no key-encryption key of version ${version}`,
    });
  }
}

/** The configured key-encryption keys by version. Each key version is either a local key or a key in KMS. */
interface ConfiguredKeys {
  readonly local: ReadonlyMap<number, Buffer> | undefined;
  readonly kms: ReadonlyMap<number, KmsKeyName> | undefined;
  /** The address that replaces the KMS address. */
  readonly kmsEndpoint: string | undefined;
}

/**
 * Combines local keys and KMS keys, so that an operator can replace local keys with KMS keys, or KMS keys
 * with local keys.
 */
export function createKeyRing({ local, kms, kmsEndpoint }: ConfiguredKeys): KeyRing {
  const keys = new Map<number, KeyEncryptionKey>();
  for (const [version, key] of local ?? []) keys.set(version, new LocalKey(key));
  const clients = new Map<string, ReturnType<typeof createKmsClient>>();
  for (const [version, name] of kms ?? []) {
    const client = clients.get(name.region) ?? createKmsClient(name.region, kmsEndpoint);
    clients.set(name.region, client);
    keys.set(version, new AwsKmsKey(client, name));
  }
  return new KeyRing(keys);
}

const wrappingInfo = 'agent-gateway provider-vault data key wrapping v1';
const fingerprintInfo = 'agent-gateway provider-vault key fingerprint v1';
const fingerprintBytes = 12;

/**
 * A key-encryption key from the configuration. For each purpose, a separate key is derived with HKDF-SHA256
 * (RFC 5869).
 */
export class LocalKey implements KeyEncryptionKey {
  readonly fingerprint: string;
  readonly #wrappingKey: Buffer;

  /** The key-encryption key, which consists of 32 random bytes. */
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
