import { replicaSeenWithinMs, type KeyVersions, type StoredKeyVersion } from './key-versions.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { SealingKeys } from './sealing-keys.ts';

export interface EnrolmentOptions {
  readonly instanceId: string;
  readonly keyRing: KeyRing;
  readonly keyVersions: KeyVersions;
  readonly sealingKeys: SealingKeys;
  readonly onFailure: (error: unknown) => void;
}

const everyMs = replicaSeenWithinMs / 6;

/**
 * Registers this replica's keys for the other replicas, while the replica runs. The class also checks that this
 * replica has every active key. A replica that lacks an active key could not decrypt some credentials.
 */
export class Enrolment {
  readonly #options: EnrolmentOptions;
  #timer: NodeJS.Timeout | undefined;
  #isComplete = false;

  private constructor(options: EnrolmentOptions) {
    this.#options = options;
  }

  /**
   * Registers the keys of this replica. Rejects if this replica lacks an active key, or has a different key
   * for an active version.
   */
  static async begin(options: EnrolmentOptions): Promise<Enrolment> {
    const enrolment = new Enrolment(options);
    await enrolment.#openVault();
    const lacking = await enrolment.#register();
    if (lacking.length > 0) {
      await options.keyVersions.unregister(options.instanceId);
      throw new Error(
        `The configured key-encryption keys do not match the active ones: version ${lacking.join(', ')}.`,
      );
    }
    enrolment.#timer = setInterval(() => void enrolment.#registerAgain(), everyMs).unref();
    return enrolment;
  }

  /** Whether this replica had all active keys at the last check. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    const { keyVersions, instanceId, onFailure } = this.#options;
    await keyVersions.unregister(instanceId).catch(onFailure);
  }

  /**
   * Adds missing data to the key versions in the database. A vault without stored keys starts with the
   * highest configured version. Fields that an older release did not store are added to its key versions.
   */
  async #openVault(): Promise<void> {
    const { keyRing, keyVersions, sealingKeys } = this.#options;
    const describe = async (version: number) => ({
      version,
      fingerprint: keyRing.key(version).fingerprint,
      wrappedSeed: await sealingKeys.createSeed(version),
    });
    const stored = await keyVersions.list();
    if (stored.length === 0) await keyVersions.begin(await describe(keyRing.highestVersion));
    for (const { version, fingerprint } of stored) {
      const isHeld = keyRing.fingerprints[version] !== undefined;
      if (fingerprint === null && isHeld) await keyVersions.complete(await describe(version));
    }
  }

  async #register(): Promise<number[]> {
    const { keyRing, keyVersions, instanceId } = this.#options;
    const inUse = await keyVersions.register(instanceId, keyRing.fingerprints);
    const lacking = listLacking(inUse, keyRing);
    this.#isComplete = lacking.length === 0;
    return lacking;
  }

  async #registerAgain(): Promise<void> {
    try {
      await this.#register();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}

function listLacking(inUse: readonly StoredKeyVersion[], { fingerprints }: KeyRing): number[] {
  return inUse
    .filter(({ version, fingerprint }) => fingerprints[version] !== fingerprint)
    .map(({ version }) => version);
}
