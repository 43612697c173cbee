import { LRUCache } from 'lru-cache';
import { setTimeout as wait } from 'node:timers/promises';
import { interactiveMs } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { isUnreached } from '@gateway/messaging';
import { createScope, currentScope, runInScope, withTimeout } from '@gateway/observability';

/** How long a caller with an expired response waits for a new response, in milliseconds. */
const staleWaitMs = 75;
/** Time after a slow or failed load during which callers get expired responses immediately, in milliseconds. */
const slowMs = 2_000;
/** Milliseconds after a slow failed load during which callers get the same error without a new load. */
const failedMs = 1_000;
/** Placeholder for the outcome of a load that has not ended. */
const unloaded = Symbol('unloaded');

interface RemoteCacheOptions<Value> {
  readonly entriesMax: number;
  /** How long a cached response is used before it is loaded again, in milliseconds. */
  readonly freshMs: number;
  /**
   * Maximum time after expiry for which a response may be returned, in milliseconds. Expired responses are used
   * only while the service is unreachable and change broadcasts arrive.
   */
  readonly staleMs: number;
  readonly load: (key: string) => Promise<Value>;
  /**
   * Whether change broadcasts are arriving. While the message bus is disconnected, no expired response is
   * used.
   */
  readonly broadcastsArrive: () => boolean;
  readonly now?: () => number;
  /**
   * Tags by which a cached response can be invalidated, in addition to its key. Invalidating a tag takes time
   * in proportion to the number of affected cache entries.
   */
  readonly tagsOf?: (value: Value) => readonly string[];
}

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAt: number;
  /**
   * When the load of the entry began, the whole cache had been marked as possibly outdated this many times. If
   * the whole cache was marked again since then, the entry is reloaded before use.
   */
  readonly epoch: number;
}

/**
 * A bounded cache for responses from another service. If an entry is invalidated while it loads, the waiting
 * request gets the response, but the response is not cached.
 */
export class RemoteCache<Value extends object | string | null> {
  readonly #entries: LRUCache<string, Entry<Value>>;
  readonly #loading = new Map<string, Promise<Value>>();
  readonly #keysByTag = new Map<string, Set<string>>();
  readonly #options: RemoteCacheOptions<Value>;
  readonly #now: () => number;
  /** Recent errors of loads. The cache rethrows recent errors without a new load. */
  readonly #failures: LRUCache<string, { readonly error: unknown; readonly until: number }>;
  /** The time until which expired responses are returned immediately, without waiting for a new load. */
  #slowUntil = -Infinity;
  #generation = 0;
  #epoch = 0;

  constructor(options: RemoteCacheOptions<Value>) {
    this.#options = options;
    // With `max`, LRUCache reserves memory for all entries. With `maxSize`, LRUCache reserves no memory in advance.
    const bounds = { maxSize: options.entriesMax, sizeCalculation: () => 1 };
    this.#entries = new LRUCache({
      ...bounds,
      ...(options.tagsOf ? { dispose: (entry, key) => this.#untag(entry.value, key) } : {}),
    });
    this.#failures = new LRUCache(bounds);
    this.#now = options.now ?? Date.now;
  }

  /**
   * Returns the cached response for a key if it is fresh, without waiting. Returns undefined if there is no
   * fresh response in the cache.
   */
  peek(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry?.epoch !== this.#epoch) return undefined;
    return this.#now() - entry.loadedAt < this.#options.freshMs ? entry.value : undefined;
  }

  /**
   * Returns the response for a key, cached or newly loaded. Concurrent callers with the same key share one load.
   */
  async get(key: string): Promise<Value> {
    const kept = this.peek(key);
    if (kept !== undefined) return kept;
    const stale = this.#findStale(key);
    const failure = this.#failures.get(key);
    if (failure !== undefined && this.#now() < failure.until) {
      if (stale) return stale.value;
      throw failure.error;
    }
    const loading = this.#loading.get(key) ?? this.#start(key);
    return stale === undefined ? waitInBudget(loading) : this.#untilSlow(key, stale, loading);
  }

  /** Starts a load with its own time budget, because other requests that share the load may have more time left. */
  #start(key: string): Promise<Value> {
    const scope = { ...(currentScope() ?? createScope()), lostMs: 0 };
    const started = runInScope(scope, () => this.#load(key)).finally(() => {
      if (this.#loading.get(key) === started) this.#loading.delete(key);
    });
    this.#loading.set(key, started);
    return started;
  }

  /** Waits briefly for a load, unless a recent load was slow. */
  async #untilSlow(key: string, stale: Entry<Value>, loading: Promise<Value>): Promise<Value> {
    loading.catch(() => undefined);
    if (this.#now() >= this.#slowUntil) {
      const loaded = await withTimeout(loading, staleWaitMs, unloaded).catch(() => unloaded);
      if (loaded !== unloaded) return loaded as Value;
      this.#slowUntil = this.#now() + slowMs;
    }
    // A broadcast may have invalidated the expired response in the meantime.
    return this.#findStale(key) === stale ? stale.value : waitInBudget(loading);
  }

  #findStale(key: string): Entry<Value> | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#mayStandIn(entry) ? entry : undefined;
  }

  async #load(key: string): Promise<Value> {
    const generation = this.#generation;
    const startedAt = this.#now();
    try {
      const value = await this.#options
        .load(key)
        .catch((error: unknown) => retryWhileUnreached(error, () => this.#options.load(key)));
      if (generation === this.#generation) {
        this.#keep(key, value);
        this.#failures.delete(key);
      }
      this.#slowUntil = -Infinity;
      return value;
    } catch (error) {
      const isSame = generation === this.#generation;
      // A fast failure is not cached, because a new load is cheap. Failures to reach the service are not cached either.
      const isSlow = this.#now() - startedAt >= staleWaitMs && !isUnreached(error);
      if (isSame && isSlow) this.#failures.set(key, { error, until: this.#now() + failedMs });
      if (isSlow) this.#slowUntil = this.#now() + slowMs;
      const entry = isSame ? this.#findStale(key) : undefined;
      if (entry === undefined) throw error;
      return entry.value;
    }
  }

  /**
   * Whether an outdated response may be used. A reconnect to the message bus does not extend the time for
   * which outdated responses may be used.
   */
  #mayStandIn({ loadedAt, epoch }: Entry<Value>): boolean {
    const { freshMs, staleMs, broadcastsArrive } = this.#options;
    const age = this.#now() - loadedAt;
    return epoch === this.#epoch ? age < freshMs + staleMs && broadcastsArrive() : age < freshMs;
  }

  #keep(key: string, value: Value): void {
    this.#entries.set(key, { value, loadedAt: this.#now(), epoch: this.#epoch });
    for (const tag of this.#options.tagsOf?.(value) ?? []) {
      const keys = this.#keysByTag.get(tag);
      if (keys) keys.add(key);
      else this.#keysByTag.set(tag, new Set([key]));
    }
  }

  #untag(value: Value, key: string): void {
    for (const tag of this.#options.tagsOf?.(value) ?? []) {
      const keys = this.#keysByTag.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByTag.delete(tag);
    }
  }

  /**
   * Returns the cached response for a key, even if the response is expired or possibly outdated. Returns
   * undefined if no response is cached.
   */
  kept(key: string): Value | undefined {
    return this.#entries.peek(key)?.value;
  }

  /** Whether the response for the key is cached and not marked as possibly outdated. */
  holds(key: string, value: Value): boolean {
    const entry = this.#entries.peek(key);
    return entry?.epoch === this.#epoch && entry.value === value;
  }

  /** Removes all cached responses for which `matches` returns true. */
  invalidate(matches: (value: Value, key: string) => boolean): void {
    this.#startGeneration();
    for (const [key, entry] of this.#entries) {
      if (matches(entry.value, key)) this.#entries.delete(key);
    }
  }

  /**
   * Removes responses that may no longer be used, even during an outage of the service. Callers must call this
   * method periodically.
   */
  dropExpired(): void {
    const { freshMs, staleMs } = this.#options;
    const loadedBefore = this.#now() - freshMs - staleMs;
    for (const [key, entry] of this.#entries) {
      if (entry.loadedAt <= loadedBefore) this.#entries.delete(key);
    }
  }

  /** Removes all cached responses with the tag. */
  invalidateTag(tag: string): void {
    this.#startGeneration();
    for (const key of [...(this.#keysByTag.get(tag) ?? [])]) this.#entries.delete(key);
  }

  /**
   * Marks every cached response as possibly outdated, because broadcasts may have been missed. A response
   * that may be outdated is reloaded before it is used. Cached responses stay available as a fallback,
   * because the service they came from may reconnect later than this process.
   */
  doubtAll(): void {
    this.#startGeneration();
    this.#epoch += 1;
  }

  /** Discards the responses and errors of loads that started before this call. */
  #startGeneration(): void {
    this.#generation += 1;
    this.#loading.clear();
    this.#failures.clear();
  }
}

/**
 * Waits for a shared load. The duration of a failed load is deducted from the request's time budget. A
 * request that has already waited for failed calls waits only for the remainder of its time budget. The
 * shared load continues even if this request stops waiting.
 */
async function waitInBudget<Value>(loading: Promise<Value>): Promise<Value> {
  const scope = currentScope();
  if (scope === undefined) return loading;
  const startedAt = performance.now();
  try {
    if (scope.lostMs === 0) return await loading;
    const loaded = await withTimeout(loading, Math.max(0, interactiveMs - scope.lostMs), unloaded);
    if (loaded !== unloaded) return loaded;
    throw new GatewayError('service_unavailable', { detail: 'the time budget of the request is used up' });
  } catch (error) {
    scope.lostMs += performance.now() - startedAt;
    throw error;
  }
}

/**
 * Delays before each retry, in milliseconds. The delays add up to the time that a service needs to reconnect
 * to the message bus.
 */
const pausesMs = [50, 150, 400];

/**
 * Retries a query a few times if the service is unavailable. The query must have no side effects. After a restart
 * of the message bus, callers reconnect earlier than the called services. The retries wait for these services.
 * @param failure the error of the first call. Any error other than `service_unavailable` is thrown
 * immediately.
 * @param signal abort signal that ends the retries
 */
export async function retryWhileUnreached<Answer>(
  failure: unknown,
  ask: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  let last = failure;
  for (const pauseMs of pausesMs) {
    if (!isUnreached(last)) break;
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal?.aborted === true) break;
    try {
      return await ask();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
