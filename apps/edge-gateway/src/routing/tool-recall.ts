import { observeModels } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ObservedRecall } from '@gateway/model-routing';
import { RemoteCache } from '../cache/remote-cache.ts';
import { chooseLastDays } from '../routes/account-usage/usage-span.ts';

type RecallByModel = ReadonlyMap<string, ObservedRecall>;

const observedDays = 7;
const nothing: RecallByModel = new Map();

/**
 * How often models had all the tools that they called, of an account's own pruned requests of the last week. The log is asked
 * behind a request's back: no request waits for it, and until it has answered the prior holds.
 */
export class ToolRecall {
  readonly #cache: RemoteCache<RecallByModel>;

  constructor(messaging: Pick<Messaging, 'call' | 'connected'>) {
    this.#cache = new RemoteCache<RecallByModel>({
      entriesMax: 10_000,
      freshMs: 60_000,
      staleMs: 600_000,
      broadcastsArrive: () => messaging.connected,
      load: async (accountId) => {
        const span = chooseLastDays(observedDays, Date.now());
        const { models } = await messaging.call(observeModels, { accountId, ...span });
        return new Map(
          models.map(({ provider, model, judged, recalled }) => [
            `${provider}/${model}`,
            { judged, recalled },
          ]),
        );
      },
    });
  }

  /** What is known now. */
  peek(accountId: string): RecallByModel {
    const known = this.#cache.peek(accountId);
    if (known === undefined) this.#cache.get(accountId).catch(() => undefined);
    return known ?? this.#cache.kept(accountId) ?? nothing;
  }
}
