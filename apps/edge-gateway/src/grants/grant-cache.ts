import type { KeyGrant, KeyScope } from '@gateway/contracts';
import { accountChanged, authenticateKey, keyChanged } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { RemoteCache } from '../cache/remote-cache.ts';
import type { RateCeiling } from './rate-ceiling.ts';

/**
 * A broadcast change of an API key or an account. The cache first removes the affected grants and then
 * calls the listeners for changes.
 */
export interface GrantChange {
  readonly accountId: string;
  /** The changed API key. Null if the change affects the whole account. */
  readonly keyId: string | null;
  /** Whether the API key is permanently revoked or its account is deleted. */
  readonly isFinal: boolean;
}

/** Maximum number of attempts to load a grant that is at least as recent as a known change. */
const renewalsMax = 3;

/**
 * The grants of API keys, indexed by the SHA-256 of the key. The cache stores `null` for an unknown key, so that
 * the key is looked up only once. A grant is fresh for 10 s. While the message bus is connected, a broadcast of a
 * change invalidates the grant immediately. While the message bus is disconnected, a revoked key works for at most
 * 10 s. While the account service restarts, an outdated grant may be used for five minutes, because changes are
 * still broadcast.
 */
export class GrantCache {
  readonly #cache: RemoteCache<KeyGrant | null>;
  readonly #digests = new WeakMap<KeyGrant, string>();
  /**
   * For each grant, the epoch of the latest change that was known before the grant was loaded. The known epoch
   * of a key may be later than the epoch in the key's grant.
   */
  readonly #loadedAfter = new WeakMap<KeyGrant, number>();
  readonly #onChange: ((change: GrantChange) => void)[] = [];
  readonly #onDoubt: (() => void)[] = [];

  /** @param ceiling the operator's upper bound for rate limits, which applies to every grant */
  constructor(
    messaging: Pick<Messaging, 'call' | 'connected' | 'onBroadcast' | 'onReconnect'>,
    ceiling?: Pick<RateCeiling, 'cap'>,
  ) {
    this.#cache = new RemoteCache<KeyGrant | null>({
      entriesMax: 50_000,
      freshMs: 10_000,
      staleMs: 300_000,
      load: async (keySha256) => {
        const { grant: stored } = await messaging.call(authenticateKey, { keySha256 });
        if (stored === null) return null;
        const rateLimitRpm = ceiling?.cap(stored.rateLimitRpm) ?? stored.rateLimitRpm;
        const grant = rateLimitRpm === stored.rateLimitRpm ? stored : { ...stored, rateLimitRpm };
        this.#digests.set(grant, keySha256);
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

  /**
   * Returns the cached grant of an API key if it is fresh, without waiting. Returns undefined if no fresh
   * grant is cached.
   */
  peek(keySha256: string): KeyGrant | null | undefined {
    return this.#cache.peek(keySha256);
  }

  /**
   * Returns the grant for an API key, cached or newly loaded. Throws `service_unavailable` if the grant
   * cannot be loaded.
   */
  get(keySha256: string): Promise<KeyGrant | null> {
    return this.#cache.get(keySha256);
  }

  /** Whether a grant is in the cache and not marked as possibly outdated. */
  holds(grant: KeyGrant): boolean {
    return this.#cache.holds(this.#digestOf(grant), grant);
  }

  /**
   * Returns the current grant of the API key to which the given grant belongs. Throws `invalid_api_key` if the
   * key is revoked, or `service_unavailable` if the grant cannot be loaded.
   */
  async current(grant: KeyGrant): Promise<KeyGrant> {
    return requireGrant(await this.#cache.get(this.#digestOf(grant)));
  }

  /**
   * Returns the API key's grant after a change that was detected by its epoch and not by a broadcast. Grants
   * that were loaded before the change are not used. Throws `invalid_api_key` if the key is revoked, or
   * `service_unavailable` if the grant cannot be loaded.
   * @param epoch epoch of the change, which is negative if the key is permanently revoked
   */
  async renew(grant: KeyGrant, epoch: number): Promise<KeyGrant> {
    const digest = this.#digestOf(grant);
    let renewed = grant;
    for (let attempt = 0; attempt < renewalsMax && this.isBefore(renewed, epoch); attempt++) {
      const cached = this.#cache.kept(digest);
      const reloads = cached ? this.isBefore(cached, epoch) : false;
      if (reloads) this.#cache.invalidateTag(grant.keyId);
      renewed = requireGrant(epoch < 0 ? null : await this.#cache.get(digest));
      if (reloads) this.#loadedAfter.set(renewed, epoch);
    }
    if (!this.isBefore(renewed, epoch)) return renewed;
    throw new GatewayError('service_unavailable', {
      detail: `no grant as recent as epoch ${epoch} could be loaded`,
    });
  }

  /** Whether a grant was loaded before the change with the given epoch. */
  isBefore(grant: KeyGrant, epoch: number): boolean {
    if (epoch >= 0 && epoch <= grant.epoch) return false;
    return epoch < 0 || epoch > (this.#loadedAfter.get(grant) ?? 0);
  }

  /** Registers a callback that is called after each broadcast change. */
  onChange(fn: (change: GrantChange) => void): void {
    this.#onChange.push(fn);
  }

  /**
   * Registers a callback that is called after each reconnect to the message bus. After a reconnect, every
   * grant is loaded again before use.
   */
  onDoubt(fn: () => void): void {
    this.#onDoubt.push(fn);
  }

  #change(change: GrantChange): void {
    this.#cache.invalidateTag(change.keyId ?? change.accountId);
    for (const fn of this.#onChange) fn(change);
  }

  #digestOf(grant: KeyGrant): string {
    const digest = this.#digests.get(grant);
    if (digest === undefined)
      throw new Error(`the grant of key ${grant.keyId} does not belong to this cache`);
    return digest;
  }
}

function requireGrant(grant: KeyGrant | null): KeyGrant {
  if (grant !== null) return grant;
  throw new GatewayError('invalid_api_key');
}

/** Returns the grant unless it has expired. Throws `expired_api_key`. */
export function requireUnexpired(grant: KeyGrant): KeyGrant {
  if (grant.expiresAt !== null && Date.parse(grant.expiresAt) <= Date.now())
    throw new GatewayError('expired_api_key');
  return grant;
}

/** The scope that an API key needs for the endpoints of the request pipeline. */
export const pipelineScope: KeyScope = 'inference';

/**
 * @throws GatewayError `insufficient_scope`, with a message that names the missing scope and how to get
 * it
 */
export function requireScope({ scopes, keyId }: KeyGrant, needed: KeyScope): void {
  if (scopes.includes(needed)) return;
  const own = scopes.map((scope) => `"${scope}"`).join(' and ');
  throw new GatewayError('insufficient_scope', {
    message: `This endpoint requires an API key with the scope "${needed}". This key has ${own}. Use another key, or add the scope in the dashboard or with PATCH /v1/account/keys/${keyId} (a key cannot change itself).`,
  });
}
