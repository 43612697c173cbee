import { LRUCache } from 'lru-cache';
import { SecretSet } from '@gateway/observability';

/**
 * How long a secret is still redacted in the log after its last use, in milliseconds. Requests in flight may
 * still contain the secret.
 */
const shownMs = 15 * 60 * 1_000;
/** Maximum number of secret values per account. An account has at most 16 keys at each of its providers. */
const valuesPerAccountMax = 1_024;

/**
 * For each account, the stored credentials that this process has loaded. The secrets of an account are redacted
 * only in the account's own requests. If secrets were redacted in all requests, an account could change the log
 * lines, spans or stored contents of another account.
 */
export class AccountSecrets {
  readonly #sets: LRUCache<string, SecretSet>;

  /** @param accountsMax maximum number of accounts, above which the least recently used account is dropped */
  constructor(accountsMax = 10_000) {
    this.#sets = new LRUCache({ max: accountsMax });
  }

  /**
   * Returns the account's set of secrets. When a credential of the account is decrypted, the secrets in the
   * credential are added to the set.
   */
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

  /** Drops secrets that were not used for 15 minutes. Callers must call this method periodically. */
  forgetOld(nowMs: number = Date.now()): void {
    for (const secrets of this.#sets.values()) secrets.dropBefore(nowMs - shownMs);
  }
}
