import { accountChanged, listDisabledModels } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { RemoteCache } from '../cache/remote-cache.ts';

/**
 * The models that an account has taken out of automatic routing, as `<provider>/<model>`. Kept for ten seconds; a change ends
 * that at once by broadcast. Asked for only by requests that leave the model to the gateway.
 */
export class ModelToggles {
  readonly #cache: RemoteCache<ReadonlySet<string>>;

  constructor(messaging: Pick<Messaging, 'call' | 'connected' | 'onBroadcast' | 'onReconnect'>) {
    this.#cache = new RemoteCache<ReadonlySet<string>>({
      entriesMax: 10_000,
      freshMs: 10_000,
      staleMs: 300_000,
      broadcastsArrive: () => messaging.connected,
      load: async (accountId) => {
        const { models } = await messaging.call(listDisabledModels, { accountId });
        return new Set(models.map(({ provider, modelId }) => `${provider}/${modelId}`));
      },
    });
    messaging.onBroadcast(accountChanged, ({ accountId }) =>
      this.#cache.invalidate((_, key) => key === accountId),
    );
    messaging.onReconnect(() => this.#cache.doubtAll());
  }

  /** Throws `service_unavailable` when nobody knows. */
  turnedOff(accountId: string): Promise<ReadonlySet<string>> {
    return this.#cache.get(accountId);
  }
}
