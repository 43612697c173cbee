import type { KeyGrant } from '@gateway/contracts';
import { accountChanged, authenticateKey, keyChanged } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { RemoteCache } from '../cache/remote-cache.ts';

/** A change that this process was told of, after what it had cached was dropped. */
export interface GrantChange {
  readonly accountId: string;
  /** Null when it is of the account as a whole. */
  readonly keyId: string | null;
  /** Whether nothing of it will ever be granted again. */
  readonly isFinal: boolean;
}

/** How often a grant is asked for again that turns out older than the change it is asked for. */
const renewalsMax = 3;

/**
 * What each API key may do, by the SHA-256 of the key. `null` is kept too: an unknown key is asked for once.
 *
 * Kept for 10 s, which bounds how long a revoked key lives with the bus cut (decisions.md); with the bus up, a
 * broadcast ends it at once, so that an answer may stand in for five minutes while the account service restarts.
 */
export class GrantCache {
  readonly #cache: RemoteCache<KeyGrant | null>;
  readonly #digests = new WeakMap<KeyGrant, string>();
  /** The epochs of changes that a grant was asked for after. They may be later than any that it names itself. */
  readonly #askedAfter = new WeakMap<KeyGrant, number>();
  readonly #onChange: ((change: GrantChange) => void)[] = [];
  readonly #onDoubt: (() => void)[] = [];

  constructor(messaging: Pick<Messaging, 'call' | 'connected' | 'onBroadcast' | 'onReconnect'>) {
    this.#cache = new RemoteCache<KeyGrant | null>({
      entriesMax: 50_000,
      freshMs: 10_000,
      staleMs: 300_000,
      load: async (keySha256) => {
        const { grant } = await messaging.call(authenticateKey, { keySha256 });
        if (grant !== null) this.#digests.set(grant, keySha256);
        return grant;
      },
      broadcastsArrive: () => messaging.connected,
      tagsOf: (grant) => (grant === null ? [] : [grant.keyId, grant.accountId]),
    });
    messaging.onBroadcast(keyChanged, ({ accountId, keyId, revoked }) =>
      this.#change({ accountId, keyId, isFinal: revoked }),
    );
    messaging.onBroadcast(accountChanged, ({ accountId, deleted }) =>
      this.#change({ accountId, keyId: null, isFinal: deleted }),
    );
    messaging.onReconnect(() => {
      this.#cache.doubtAll();
      for (const fn of this.#onDoubt) fn();
    });
  }

  /** The fresh grant kept for a key, without a wait; undefined if there is none. */
  peek(keySha256: string): KeyGrant | null | undefined {
    return this.#cache.peek(keySha256);
  }

  /** The grant of a key: kept, or asked for. Throws `service_unavailable`. */
  get(keySha256: string): Promise<KeyGrant | null> {
    return this.#cache.get(keySha256);
  }

  /** Whether a grant is the one that its key has now, as far as this process knows. */
  holds(grant: KeyGrant): boolean {
    return this.#cache.holds(this.#digestOf(grant), grant);
  }

  /** What the key of an earlier grant may do now. Throws `invalid_api_key` if nothing any more, or `service_unavailable`. */
  async current(grant: KeyGrant): Promise<KeyGrant> {
    return requireGrant(await this.#cache.get(this.#digestOf(grant)));
  }

  /**
   * The key's grant as of a change, which may be later than what is kept: no broadcast told of it, but the epoch beside
   * the rate limit did. Nothing older stands in. Throws `invalid_api_key` or `service_unavailable`.
   *
   * @param epoch the change's; negative for one that is final.
   */
  async renew(grant: KeyGrant, epoch: number): Promise<KeyGrant> {
    const digest = this.#digestOf(grant);
    let renewed = grant;
    for (let asked = 0; asked < renewalsMax && this.isBefore(renewed, epoch); asked++) {
      const kept = this.#cache.kept(digest);
      const asksAnew = kept ? this.isBefore(kept, epoch) : false;
      if (asksAnew) this.#cache.invalidateTag(grant.keyId);
      renewed = requireGrant(epoch < 0 ? null : await this.#cache.get(digest));
      if (asksAnew) this.#askedAfter.set(renewed, epoch);
    }
    if (!this.isBefore(renewed, epoch)) return renewed;
    throw new GatewayError('service_unavailable', { detail: `no grant as of epoch ${epoch} was to be had` });
  }

  /** Whether a grant was asked for before the change of an epoch. */
  isBefore(grant: KeyGrant, epoch: number): boolean {
    if (epoch >= 0 && epoch <= grant.epoch) return false;
    return epoch < 0 || epoch > (this.#askedAfter.get(grant) ?? 0);
  }

  /** Called after each change that this process is told of. */
  onChange(fn: (change: GrantChange) => void): void {
    this.#onChange.push(fn);
  }

  /** Called when changes may have been missed: every grant is asked for again before it is used. */
  onDoubt(fn: () => void): void {
    this.#onDoubt.push(fn);
  }

  #change(change: GrantChange): void {
    this.#cache.invalidateTag(change.keyId ?? change.accountId);
    for (const fn of this.#onChange) fn(change);
  }

  #digestOf(grant: KeyGrant): string {
    const digest = this.#digests.get(grant);
    if (digest === undefined) throw new Error(`the grant of key ${grant.keyId} is not of this cache`);
    return digest;
  }
}

function requireGrant(grant: KeyGrant | null): KeyGrant {
  if (grant !== null) return grant;
  throw new GatewayError('invalid_api_key');
}

/** The grant itself, or `expired_api_key` thrown. */
export function requireUnexpired(grant: KeyGrant): KeyGrant {
  if (grant.expiresAt !== null && Date.parse(grant.expiresAt) <= Date.now())
    throw new GatewayError('expired_api_key');
  return grant;
}
