import { GatewayError } from '@gateway/errors';
import { hkdfSync } from 'node:crypto';
import type { KeyBinding, KeyEncryptionKey } from './key-encryption-key.port.ts';
import { AwsKmsKey, createKmsClient } from './aws-kms-key.adapter.ts';
import type { KmsKeyName } from './parse-keys.ts';
import { decrypt, encrypt, keyBytes } from './aes-gcm.ts';

/**
 * The key-encryption keys that this process can use, by version. All of them read; which one is written with is in the
 * database, since no replica may write with a key that another one does not hold yet.
 */
export class KeyRing {
  /** Ascending; one at least. */
  readonly versions: readonly number[];
  /** Version → fingerprint. */
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly #keys: ReadonlyMap<number, KeyEncryptionKey>;

  /** @throws RangeError for an empty ring */
  constructor(keys: ReadonlyMap<number, KeyEncryptionKey>) {
    if (keys.size === 0) throw new RangeError('holds no key');
    this.#keys = keys;
    this.versions = [...keys.keys()].sort((a, b) => a - b);
    this.fingerprints = Object.fromEntries([...keys].map(([version, key]) => [version, key.fingerprint]));
  }

  get highestVersion(): number {
    return this.versions.at(-1) ?? 0;
  }

  /** @throws GatewayError `service_unavailable` for a version that is not held here: another replica may hold it. */
  key(version: number): KeyEncryptionKey {
    const key = this.#keys.get(version);
    if (key) return key;
    throw new GatewayError('service_unavailable', {
      detail: `there is no key-encryption key of version ${version} here`,
    });
  }
}

/** The keys as they were configured, by version. No version is in both. */
interface ConfiguredKeys {
  readonly local: ReadonlyMap<number, Buffer> | undefined;
  readonly kms: ReadonlyMap<number, KmsKeyName> | undefined;
  /** Replaces the address of KMS. */
  readonly kmsEndpoint: string | undefined;
}

/** Local keys and keys of KMS side by side: that is how one moves from the one kind to the other. */
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
