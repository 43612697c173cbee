import { accountChanged, listDisabledModels, observeModels } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ComplexityThresholds, ObservedRecall } from '@gateway/model-routing';
import { RemoteCache } from '../cache/remote-cache.ts';
import { chooseLastDays } from '../request/usage-span.ts';

/**
 * The models that an account excludes from automatic routing, as `<provider>/<model>`. Cached for ten seconds; a
 * broadcast change invalidates them immediately. Only automatically routed requests load them.
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

  /** Throws `service_unavailable` if they cannot be loaded. */
  turnedOff(accountId: string): Promise<ReadonlySet<string>> {
    return this.#cache.get(accountId);
  }
}

type RecallByModel = ReadonlyMap<string, ObservedRecall>;

/** Observations of models cover this many days, including today. */
export const observedDays = 7;
const nothing: RecallByModel = new Map();

/**
 * Observed recall per model: how often an account's pruned requests of the last week contained every called tool. It
 * is loaded in the background. No request waits for it, and until then the prior applies.
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

  /** The current knowledge, without waiting. */
  peek(accountId: string): RecallByModel {
    const known = this.#cache.peek(accountId);
    if (known === undefined) this.#cache.get(accountId).catch(() => undefined);
    return known ?? this.#cache.kept(accountId) ?? nothing;
  }
}

/** Shares of requests below each threshold, equal to those of the prompts that the shipped thresholds are based on. */
const shares = { medium: 0.5, high: 0.8 } as const;
/** Weight of the shipped thresholds, in requests. */
const priorRequests = 200;
/** Maximum shift. Without it, an account with only simple requests would get some of them rated as complex. */
const shiftMax = 0.03;

/**
 * Complexity thresholds of one account: the shipped ones, adjusted to the distribution of its own requests. A
 * complex task for one account can be routine for another.
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

/** The score with `rank` requests below it. Requests are assumed to be spread evenly within a bin. */
function quantileOf(counts: Float64Array, rank: number): number {
  let below = 0;
  for (const [bin, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) return (bin + (rank - below) / count) / counts.length;
    below += count;
  }
  return 1;
}
