import { accountChanged, listDisabledModels, observeModels } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ComplexityThresholds, ObservedRecall } from '@gateway/model-routing';
import { RemoteCache } from '../cache/remote-cache.ts';
import { chooseLastDays } from '../request/usage-span.ts';

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

type RecallByModel = ReadonlyMap<string, ObservedRecall>;

/** Observations of models cover this many days, including today. */
export const observedDays = 7;
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

/** Shares of an account's requests that are below each threshold: as they are of the prompts that the shipped ones come from. */
const shares = { medium: 0.5, high: 0.8 } as const;
/** How many requests the shipped thresholds are worth. */
const priorRequests = 200;
/** No account's thresholds move further than this: simple requests alone make none of them complex. */
const shiftMax = 0.03;

/**
 * Thresholds for one account: the shipped ones, moved towards where its own requests divide. What is complex for one account is
 * daily work for another.
 *
 * @param counts requests by bin of complexity, over 0 to 1.
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

/** The score below which so many requests are, taken to be spread evenly within a bin. */
function quantileOf(counts: Float64Array, rank: number): number {
  let below = 0;
  for (const [bin, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) return (bin + (rank - below) / count) / counts.length;
    below += count;
  }
  return 1;
}
