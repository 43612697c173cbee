import { LRUCache } from 'lru-cache';
import { SecretSet } from '@gateway/observability';

/**
 * How long the log is still searched for a secret after its last use, because requests in flight may quote it.
 */
const shownMs = 15 * 60 * 1_000;
/** An account has at most 16 keys at each of its providers. */
const valuesPerAccountMax = 1_024;

/**
 * The stored credentials of each account, as far as this process knows them. An account's set is used only for
 * its own requests, so no account influences the log lines, spans or stored contents of another.
 */
export class AccountSecrets {
  readonly #sets: LRUCache<string, SecretSet>;

  /** @param accountsMax the account that was not used for the longest time is dropped beyond this number. */
  constructor(accountsMax = 10_000) {
    this.#sets = new LRUCache({ max: accountsMax });
  }

  /** The account's secrets. The set grows while the account's credentials are opened. */
  of(accountId: string): SecretSet {
    const known = this.#sets.get(accountId);
    if (known !== undefined) return known;
    const created = new SecretSet(valuesPerAccountMax);
    this.#sets.set(accountId, created);
    return created;
  }

  note(accountId: string, values: readonly string[], nowMs: number = Date.now()): void {
    const secrets = this.of(accountId);
    for (const value of values) secrets.add(value, nowMs);
  }

  /** Forgets values that were not used for 15 minutes. Must be called periodically. */
  forgetOld(nowMs: number = Date.now()): void {
    for (const secrets of this.#sets.values()) secrets.dropBefore(nowMs - shownMs);
  }
}
