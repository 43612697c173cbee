import { createHmac, randomBytes } from 'node:crypto';
import { additionalKeysMax, backendChanged } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { ResilienceMetrics } from '../metrics/edge-metrics.ts';
import { Backend, type BackendName, type BackendNews, type StoredBackendName } from './backend.ts';

export interface BackendBookOptions {
  readonly messaging: Pick<Messaging, 'broadcast' | 'onBroadcast'>;
  /** Maximum number of concurrent calls to one backend (a provider with one credential). */
  readonly inFlightMax: number;
  readonly metrics: Pick<ResilienceMetrics, 'breakerChanges' | 'watchOpenBreakers'>;
}

/**
 * Maximum number of backends kept in memory. When more backends are needed, the least recently used backend is
 * dropped. A dropped backend counts as healthy when it is used later.
 */
const backendsMax = 20_000;
/**
 * Requests can contain their own credentials. The process stores backends for such credentials for at most 5,000
 * accounts, and at most 32 backends per account.
 */
const requestAccountsMax = 5_000;
const requestBackendsMax = 32;
/** Maximum number of credentials that an account may have for one provider. */
export const credentialsMax = additionalKeysMax + 1;

/**
 * All backends (a provider with one credential) known to this process. Each process broadcasts the state
 * changes of its backends. Requests read the state of a backend from local memory, so they never wait for
 * another process.
 */
export class BackendBook {
  readonly #options: BackendBookOptions;
  readonly #backends = new LRUCache<string, Backend>({ max: backendsMax });
  /** Backends for credentials from requests. The keys are accounts and digests of credentials. */
  readonly #ofRequests = new LRUCache<string, LRUCache<string, Backend>>({ max: requestAccountsMax });
  /**
   * A random key for the digests of credentials. The random key makes the digests useless outside this
   * process.
   */
  readonly #digestKey = randomBytes(32);

  constructor(options: BackendBookOptions) {
    this.#options = options;
    options.metrics.watchOpenBreakers(() => this.openCount);
    options.messaging.onBroadcast(backendChanged, ({ news, ...name }) => this.find(name).hear(news));
  }

  get openCount(): number {
    let count = 0;
    for (const backend of this.#backends.values()) if (backend.isOpen) count += 1;
    for (const backends of this.#ofRequests.values())
      for (const backend of backends.values()) if (backend.isOpen) count += 1;
    return count;
  }

  /** Finds the backend of a stored credential. */
  find(name: StoredBackendName): Backend {
    const key = keyOf(name);
    const known = this.#backends.get(key);
    if (known !== undefined) return known;
    const { inFlightMax } = this.#options;
    const made = new Backend({ name, inFlightMax, onNews: (news) => this.#tell(news, name) });
    this.#backends.set(key, made);
    return made;
  }

  /**
   * Finds the backend for a credential that arrived in a request. Each credential that arrives in a request has a
   * separate backend. A failure of one credential affects no other credential, including the account's stored
   * credential. If an account has too many backends for credentials from requests, the least recently used backends
   * are dropped. The state is not broadcast, because other processes cannot use the digest of the credential.
   * @param credential a secret with its region, which is stored only as a keyed digest
   */
  findForRequest(place: Pick<BackendName, 'accountId' | 'provider'>, credential: string): Backend {
    const digest = createHmac('sha256', this.#digestKey)
      .update(`${place.provider}\n${credential}`)
      .digest('base64url');
    const ofAccount = this.#ofRequests.get(place.accountId) ?? new LRUCache({ max: requestBackendsMax });
    this.#ofRequests.set(place.accountId, ofAccount);
    const known = ofAccount.get(digest);
    if (known !== undefined) return known;
    const { inFlightMax } = this.#options;
    const name = { ...place, credential: null };
    const made = new Backend({ name, inFlightMax, onNews: (news) => this.#count(news) });
    ofAccount.set(digest, made);
    return made;
  }

  /** Discards the state of a provider's backends when the account changes the provider's credentials. */
  reset(accountId: string, provider: string): void {
    for (let credential = 0; credential < credentialsMax; credential += 1) {
      this.#backends.peek(keyOf({ accountId, provider, credential }))?.reset();
    }
  }

  #count({ kind }: BackendNews): void {
    if (kind !== 'cooling') this.#options.metrics.breakerChanges.inc({ to: kind });
  }

  #tell(news: BackendNews, { accountId, provider, credential }: StoredBackendName): void {
    this.#count(news);
    this.#options.messaging.broadcast(backendChanged, { accountId, provider, credential, news });
  }
}

function keyOf({ accountId, provider, credential }: StoredBackendName): string {
  return `${accountId}|${provider}|${credential}`;
}
