import { additionalKeysMax, backendChanged } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { ResilienceMetrics } from '../metrics/edge-metrics.ts';
import { Backend, type BackendName, type BackendNews } from './backend.ts';

export interface BackendBookOptions {
  readonly messaging: Pick<Messaging, 'broadcast' | 'onBroadcast'>;
  /** Maximum number of concurrent calls to one backend. */
  readonly inFlightMax: number;
  readonly metrics: Pick<ResilienceMetrics, 'breakerChanges' | 'watchOpenBreakers'>;
}

/**
 * When this limit is reached, the least recently used backends are dropped. A dropped backend starts again as
 * healthy.
 */
const backendsMax = 20_000;
/** Maximum number of credentials an account may have for one provider. */
export const credentialsMax = additionalKeysMax + 1;

/**
 * All backends known to this process. State changes are broadcast to the other replicas. Replicas never query
 * each other, so a request costs no round trip.
 */
export class BackendBook {
  readonly #options: BackendBookOptions;
  readonly #backends = new LRUCache<string, Backend>({ max: backendsMax });

  constructor(options: BackendBookOptions) {
    this.#options = options;
    options.metrics.watchOpenBreakers(() => this.openCount);
    options.messaging.onBroadcast(backendChanged, ({ news, ...name }) => this.find(name).hear(news));
  }

  get openCount(): number {
    let count = 0;
    for (const backend of this.#backends.values()) if (backend.isOpen) count += 1;
    return count;
  }

  find(name: BackendName): Backend {
    const key = keyOf(name);
    const known = this.#backends.get(key);
    if (known !== undefined) return known;
    const { inFlightMax } = this.#options;
    const made = new Backend({ name, inFlightMax, onNews: (news) => this.#tell(news, name) });
    this.#backends.set(key, made);
    return made;
  }

  /** When a provider's credentials change, the state recorded for the old credentials is discarded. */
  reset(accountId: string, provider: string): void {
    for (let credential = 0; credential < credentialsMax; credential += 1) {
      this.#backends.peek(keyOf({ accountId, provider, credential }))?.reset();
    }
  }

  #tell(news: BackendNews, { accountId, provider, credential }: BackendName): void {
    if (news.kind !== 'cooling') this.#options.metrics.breakerChanges.inc({ to: news.kind });
    this.#options.messaging.broadcast(backendChanged, { accountId, provider, credential, news });
  }
}

function keyOf({ accountId, provider, credential }: BackendName): string {
  return `${accountId}|${provider}|${credential}`;
}
