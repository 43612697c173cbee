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

/** How one answer went. */
export interface SeenAnswer {
  readonly firstTokenMs: number;
  /** Null for an answer too short to have a pace, or one whose length is not known. */
  readonly msPerToken: number | null;
}

const accountsMax = 10_000;
/** Accounts told of together; the others go with the next time. */
const accountsAtOnce = 500;
const flushMs = 1_000;
/** What other replicas saw is asked for again after this. */
const freshMs = 5_000;
/** How long the first choice for an account waits for what is known. */
const waitMs = 25;
const complexityHalfLifeMs = 7 * 24 * 3600_000;
/** Complexity is counted in so many bins from 0 to 1. */
export const complexityBins = 100;
const complexityPrefix = 'complexity:';

interface Known {
  /** What all replicas have seen, as of the last look. */
  shared: SumsByName;
  loadedAt: number;
  loading: Promise<void> | null;
  /** What this process has seen and not yet told. */
  untold: Map<string, Sums>;
}

/**
 * How fast models answer, and how complex requests are, account by account: an account's own credentials, addresses and
 * requests, and nobody else's. Each process adds what it sees to sums in Redis, once a second; a request waits for
 * them only when its account is new to the process.
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

  /** Of each answer that a model gave, whoever chose it. Costs a look-up and four additions. */
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

  /** What is known of an account now. Waits, a moment at most, when nothing is. Never fails. */
  async read(accountId: string): Promise<AccountObservations> {
    const known = this.#know(accountId);
    const loading = this.#now() - known.loadedAt > freshMs ? this.#load(accountId, known) : null;
    if (loading !== null && known.loadedAt === 0) await withTimeout(loading, waitMs, undefined);
    return observationsOf(known, this.#now());
  }

  /** Tells the others. */
  flush(): void {
    for (const accountId of [...this.#changed].slice(0, accountsAtOnce)) {
      const known = this.#accounts.peek(accountId);
      this.#changed.delete(accountId);
      if (known !== undefined) void this.#load(accountId, known);
    }
  }

  /** Of an account that was deleted. What cannot be removed now expires by itself. */
  forget(accountId: string): void {
    this.#accounts.delete(accountId);
    this.#changed.delete(accountId);
    this.#store.forget(accountId).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'what replicas observed is away');
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }

  #add(accountId: string, name: string, seen: Omit<Sums, 'at'>): void {
    const { untold } = this.#know(accountId);
    const at = this.#now();
    untold.set(name, addSums(untold.get(name) ?? emptySums(at), { ...seen, at }));
    this.#changed.add(accountId);
  }

  #know(accountId: string): Known {
    const kept = this.#accounts.get(accountId);
    if (kept !== undefined) return kept;
    const made: Known = { shared: new Map(), loadedAt: 0, loading: null, untold: new Map() };
    this.#accounts.set(accountId, made);
    return made;
  }

  #load(accountId: string, known: Known): Promise<void> {
    known.loading ??= this.#exchange(accountId, known).finally(() => {
      known.loading = null;
      if (known.untold.size > 0) this.#changed.add(accountId);
    });
    return known.loading;
  }

  /** Tells what is untold and learns what all have told. What could not be told stays, and is told with the next. */
  async #exchange(accountId: string, known: Known): Promise<void> {
    const told = known.untold;
    known.untold = new Map();
    const before = known.shared;
    // Until the answer is here, what is on its way counts too.
    known.shared = mergeSums(before, told);
    try {
      known.shared = await this.#store.add(accountId, told, halfLifeOf);
      known.loadedAt = this.#now();
    } catch (error) {
      known.shared = before;
      known.untold = new Map(mergeSums(told, known.untold));
      known.loadedAt = this.#now();
      this.#log.debug({ err: error }, 'what replicas observed is away');
    }
  }
}

/** What is known of an account, as of one moment. */
export interface AccountObservations {
  readonly latency: (id: string) => ObservedLatency | undefined;
  /** Requests of `svc/auto` by bin of complexity. */
  readonly complexity: Float64Array;
  /** How many answers all that is worth: it moves with every one. */
  readonly answers: number;
}

function observationsOf({ shared, untold }: Known, now: number): AccountObservations {
  const sumsOf = (name: string): Sums | undefined => {
    const [one, other] = [shared.get(name), untold.get(name)];
    if (one === undefined || other === undefined) return one ?? other;
    return addSums(decaySums(one, now, halfLifeOf(name)), other);
  };
  const complexity = new Float64Array(complexityBins);
  let answers = 0;
  for (const name of new Set([...shared.keys(), ...untold.keys()])) {
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
