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
 * Tells the other replicas which keys this one holds, for as long as it runs, and sees to it that it holds every key in
 * use: one that does not would fail to read what others have written.
 */
export class Enrolment {
  readonly #options: EnrolmentOptions;
  #timer: NodeJS.Timeout | undefined;
  #isComplete = false;

  private constructor(options: EnrolmentOptions) {
    this.#options = options;
  }

  /** Rejects when a key in use is not held here, or is another one than the one of that version. */
  static async begin(options: EnrolmentOptions): Promise<Enrolment> {
    const enrolment = new Enrolment(options);
    await enrolment.#openVault();
    const lacking = await enrolment.#register();
    if (lacking.length > 0) {
      await options.keyVersions.unregister(options.instanceId);
      throw new Error(
        `The key-encryption keys in use are not those configured here: version ${lacking.join(', ')}.`,
      );
    }
    enrolment.#timer = setInterval(() => void enrolment.#registerAgain(), everyMs).unref();
    return enrolment;
  }

  /** Whether every key in use was held here when it was last looked at. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    const { keyVersions, instanceId, onFailure } = this.#options;
    await keyVersions.unregister(instanceId).catch(onFailure);
  }

  /** A vault without keys begins with the highest one held; versions of before get what was not kept then. */
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
