import { withTimeout, type Logger } from '@gateway/observability';
import type { ObservedLatency } from '@gateway/model-routing';
import { LRUCache } from 'lru-cache';
import type { ObservationStore } from './observation-store.port.ts';
import {
  addSums,
  decaySums,
  emptySums,
  latencyHalfLifeMs,
  type Sums,
  type SumsByName,
} from './observation-store.port.ts';

export interface ObservationsOptions {
  readonly store: ObservationStore;
  readonly log: Pick<Logger, 'debug'>;
  readonly now?: () => number;
}

/** The measured speed of one response. */
export interface SeenAnswer {
  readonly firstTokenMs: number;
  /**
   * Milliseconds per token. Null if the response is too short to measure or its length is unknown.
   */
  readonly msPerToken: number | null;
}

const accountsMax = 10_000;
/** Maximum number of accounts per sync with the store. The next sync includes the remaining accounts. */
const accountsAtOnce = 500;
const flushMs = 1_000;
/** How long shared totals are used before they are read again, in milliseconds. */
const freshMs = 5_000;
/** How long the first routing decision for an account waits for the account's totals, in milliseconds. */
const waitMs = 25;
const complexityHalfLifeMs = 7 * 24 * 3600_000;
/** Number of bins into which complexity scores from 0 to 1 are divided. */
export const complexityBins = 100;
const complexityPrefix = 'complexity:';

interface Known {
  /** Totals from all gateway processes as of the last sync. */
  shared: SumsByName;
  loadedAt: number;
  loading: Promise<void> | null;
  /** Counters of this process that have not been synced yet. */
  unsynced: Map<string, Sums>;
}

/**
 * For each account, the response times per model and the complexity of requests. Accounts never share their
 * response times and complexities. Once per second, each process adds its observations to totals in Redis. A
 * request waits for the totals only if it is the account's first request in the process.
 */
export class Observations {
  readonly #store: ObservationStore;
  readonly #log: Pick<Logger, 'debug'>;
  readonly #now: () => number;
  readonly #accounts = new LRUCache<string, Known>({ max: accountsMax });
  readonly #changed = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor({ store, log, now = Date.now }: ObservationsOptions) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#timer = setInterval(() => this.flush(), flushMs);
    this.#timer.unref();
  }

  /** Records a response from any model. Recording a response requires only one lookup and four additions. */
  noteAnswer(accountId: string, id: string, { firstTokenMs, msPerToken }: SeenAnswer): void {
    const paced = msPerToken === null ? 0 : 1;
    this.#add(accountId, id, { weight: 1, firstTokenMs, paced, msPerToken: msPerToken ?? 0 });
  }

  noteComplexity(accountId: string, score: number): void {
    const bin = Math.min(complexityBins - 1, Math.floor(score * complexityBins));
    this.#add(accountId, `${complexityPrefix}${bin}`, {
      weight: 1,
      firstTokenMs: 0,
      paced: 0,
      msPerToken: 0,
    });
  }

  /**
   * Returns an account's current response times and complexities. If the totals of the account are not loaded
   * yet, the method waits briefly. The method never throws.
   */
  async read(accountId: string): Promise<AccountObservations> {
    const known = this.#know(accountId);
    const loading = this.#now() - known.loadedAt > freshMs ? this.#load(accountId, known) : null;
    if (loading !== null && known.loadedAt === 0) await withTimeout(loading, waitMs, undefined);
    return observationsOf(known, this.#now());
  }

  /** Syncs the counters of changed accounts with Redis. */
  flush(): void {
    for (const accountId of [...this.#changed].slice(0, accountsAtOnce)) {
      const known = this.#accounts.peek(accountId);
      this.#changed.delete(accountId);
      if (known !== undefined) void this.#load(accountId, known);
    }
  }

  /** Removes the totals of a deleted account. Totals that cannot be removed immediately expire later. */
  forget(accountId: string): void {
    this.#accounts.delete(accountId);
    this.#changed.delete(accountId);
    this.#store.forget(accountId).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'Redis error: observations are not shared');
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }

  #add(accountId: string, name: string, seen: Omit<Sums, 'at'>): void {
    const { unsynced } = this.#know(accountId);
    const at = this.#now();
    unsynced.set(name, addSums(unsynced.get(name) ?? emptySums(at), { ...seen, at }));
    this.#changed.add(accountId);
  }

  #know(accountId: string): Known {
    const kept = this.#accounts.get(accountId);
    if (kept !== undefined) return kept;
    const made: Known = { shared: new Map(), loadedAt: 0, loading: null, unsynced: new Map() };
    this.#accounts.set(accountId, made);
    return made;
  }

  #load(accountId: string, known: Known): Promise<void> {
    known.loading ??= this.#exchange(accountId, known).finally(() => {
      known.loading = null;
      if (known.unsynced.size > 0) this.#changed.add(accountId);
    });
    return known.loading;
  }

  /**
   * Sends local counters to Redis, then reads the merged totals. If a counter cannot be sent, it is kept
   * locally until the next sync.
   */
  async #exchange(accountId: string, known: Known): Promise<void> {
    const sent = known.unsynced;
    known.unsynced = new Map();
    const before = known.shared;
    // Until Redis returns the new totals, the local totals include the sent counters.
    known.shared = mergeSums(before, sent);
    try {
      known.shared = await this.#store.add(accountId, sent, halfLifeOf);
      known.loadedAt = this.#now();
    } catch (error) {
      known.shared = before;
      known.unsynced = new Map(mergeSums(sent, known.unsynced));
      known.loadedAt = this.#now();
      this.#log.debug({ err: error }, 'Redis error: observations are not shared');
    }
  }
}

/** A snapshot of an account's response times and request complexities. */
export interface AccountObservations {
  readonly latency: (id: string) => ObservedLatency | undefined;
  /** Number of `svc/auto` requests in each complexity bin. */
  readonly complexity: Float64Array;
  /** Decayed number of responses that the account has received. The number changes with every response. */
  readonly answers: number;
}

function observationsOf({ shared, unsynced }: Known, now: number): AccountObservations {
  const sumsOf = (name: string): Sums | undefined => {
    const [one, other] = [shared.get(name), unsynced.get(name)];
    if (one === undefined || other === undefined) return one ?? other;
    return addSums(decaySums(one, now, halfLifeOf(name)), other);
  };
  const complexity = new Float64Array(complexityBins);
  let answers = 0;
  for (const name of new Set([...shared.keys(), ...unsynced.keys()])) {
    const weight = sumsOf(name)?.weight ?? 0;
    if (name.startsWith(complexityPrefix)) complexity[Number(name.slice(complexityPrefix.length))] = weight;
    else answers += weight;
  }
  const latency = (id: string): ObservedLatency | undefined => {
    const sums = sumsOf(id);
    if (sums === undefined) return undefined;
    const { weight } = decaySums(sums, now, latencyHalfLifeMs);
    if (weight < 0.01) return undefined;
    const firstTokenMs = sums.firstTokenMs / sums.weight;
    return { firstTokenMs, msPerToken: sums.paced > 0 ? sums.msPerToken / sums.paced : null, weight };
  };
  return { latency, complexity, answers };
}

function halfLifeOf(name: string): number {
  return name.startsWith(complexityPrefix) ? complexityHalfLifeMs : latencyHalfLifeMs;
}

function mergeSums(one: ReadonlyMap<string, Sums>, other: ReadonlyMap<string, Sums>): SumsByName {
  const merged = new Map(one);
  for (const [name, sums] of other) {
    const before = merged.get(name);
    merged.set(name, before === undefined ? sums : addSums(before, sums));
  }
  return merged;
}
