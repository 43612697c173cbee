import { accountChanged, listDisabledModels, observeModels } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ComplexityThresholds, ObservedRecall } from '@gateway/model-routing';
import { RemoteCache } from '../cache/remote-cache.ts';
import { chooseLastDays } from '../request/usage-span.ts';

/**
 * The models that an account excludes from automatic routing, as `<provider>/<model>`. The gateway loads the
 * excluded models only for automatically routed requests and caches them for ten seconds. When a change is
 * broadcast, the gateway loads the excluded models again.
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

  /**
   * Returns the models that an account excludes. Throws `service_unavailable` if the excluded models cannot
   * be loaded.
   */
  turnedOff(accountId: string): Promise<ReadonlySet<string>> {
    return this.#cache.get(accountId);
  }
}

type RecallByModel = ReadonlyMap<string, ObservedRecall>;

/** Number of days, including today, over which recall per model is measured. */
export const observedDays = 7;
const nothing: RecallByModel = new Map();

/**
 * Effective recall per model over the last week. Effective recall is the share of requests with pruned tools in
 * which the model received every tool that it called or requested. Recall is loaded in the background, so requests
 * do not wait for it. Until recall has been loaded, the prior applies.
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

  /** Returns the recall per model if it is already loaded, without waiting. */
  peek(accountId: string): RecallByModel {
    const known = this.#cache.peek(accountId);
    if (known === undefined) this.#cache.get(accountId).catch(() => undefined);
    return known ?? this.#cache.kept(accountId) ?? nothing;
  }
}

/**
 * For each shipped complexity threshold, the share of requests below the threshold. The shares were measured on
 * the prompts from which the thresholds were derived.
 */
const shares = { medium: 0.5, high: 0.8 } as const;
/** Number of requests at which an account's own data has the same weight as the shipped complexity thresholds. */
const priorRequests = 200;
/**
 * Maximum amount by which a complexity threshold is shifted. A larger shift would rate some requests as complex in
 * an account that sends only simple requests.
 */
const shiftMax = 0.03;

/**
 * Returns the complexity thresholds for one account. The shipped thresholds are adjusted to the account's own
 * requests. A task that is complex for one account can be routine for another.
 * @param counts histogram of complexity scores from 0 to 1, with one request count per bin
 */
export function chooseThresholds(shipped: ComplexityThresholds, counts: Float64Array): ComplexityThresholds {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < 1) return shipped;
  const weight = total / (total + priorRequests);
  const move = (before: number, share: number): number => {
    const own = quantileOf(counts, share * total);
    const moved = before + (own - before) * weight;
    return Math.min(before + shiftMax, Math.max(before - shiftMax, moved));
  };
  return { medium: move(shipped.medium, shares.medium), high: move(shipped.high, shares.high) };
}

/**
 * Returns the complexity score below which `rank` requests lie. The function assumes an even distribution of
 * requests within a complexity bin.
 */
function quantileOf(counts: Float64Array, rank: number): number {
  let below = 0;
  for (const [bin, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) return (bin + (rank - below) / count) / counts.length;
    below += count;
  }
  return 1;
}
