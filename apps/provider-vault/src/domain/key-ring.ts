import { GatewayError } from '@gateway/errors';
import type { KeyEncryptionKey } from './key-encryption-key.port.ts';

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
