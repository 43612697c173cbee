import { LRUCache } from 'lru-cache';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';

interface RemoteCacheOptions<Value> {
  readonly entriesMax: number;
  /** Milliseconds for which a cached response is used before the cache reloads the response. */
  readonly freshMs: number;
  /**
   * Milliseconds for which an expired response may still be used. An expired response is used only while the
   * service that sent it is unreachable and change broadcasts still arrive.
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
   * Tags by which a cached value can be invalidated, in addition to its key. Invalidating a tag takes time
   * proportional to the number of affected entries.
   */
  readonly tagsOf?: (value: Value) => readonly string[];
}

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAt: number;
  /**
   * The number of times the whole cache was marked as doubtful when the entry was loaded. An entry with a
   * number below the current number is reloaded before it is used.
   */
  readonly epoch: number;
}

/**
 * A bounded cache for responses from another service. A response requested before an invalidation is used
 * only for the request that loaded it, and is never cached.
 */
export class RemoteCache<Value extends object | string | null> {
  readonly #entries: LRUCache<string, Entry<Value>>;
  readonly #loading = new Map<string, Promise<Value>>();
  readonly #keysByTag = new Map<string, Set<string>>();
  readonly #options: RemoteCacheOptions<Value>;
  readonly #now: () => number;
  #generation = 0;
  #epoch = 0;

  constructor(options: RemoteCacheOptions<Value>) {
    this.#options = options;
    this.#entries = new LRUCache({
      max: options.entriesMax,
      ...(options.tagsOf ? { dispose: (entry, key) => this.#untag(entry.value, key) } : {}),
    });
    this.#now = options.now ?? Date.now;
  }

  /**
   * Returns the fresh cached response for a key, without waiting. Returns undefined if there is no fresh
   * response.
   */
  peek(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry?.epoch !== this.#epoch) return undefined;
    return this.#now() - entry.loadedAt < this.#options.freshMs ? entry.value : undefined;
  }

  /** Returns the response for a key, cached or newly loaded. Concurrent callers share one load. */
  async get(key: string): Promise<Value> {
    const kept = this.peek(key);
    if (kept !== undefined) return kept;
    const loading = this.#loading.get(key);
    if (loading) return loading;
    const started = this.#load(key).finally(() => {
      if (this.#loading.get(key) === started) this.#loading.delete(key);
    });
    this.#loading.set(key, started);
    return started;
  }

  async #load(key: string): Promise<Value> {
    const generation = this.#generation;
    let value: Value;
    try {
      value = await this.#options.load(key);
    } catch (error) {
      const entry = this.#entries.get(key);
      if (entry && generation === this.#generation && this.#mayStandIn(entry)) return entry.value;
      value = await retryWhileUnavailable(error, () => this.#options.load(key));
    }
    if (generation === this.#generation) this.#keep(key, value);
    return value;
  }

  /**
   * Whether an old response may be used. After a reconnect, an old response is used only as long as it would
   * be used while the message bus is disconnected.
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
   * Returns the cached response for a key, even if it is expired or marked as doubtful. Returns undefined if
   * no response is cached.
   */
  kept(key: string): Value | undefined {
    return this.#entries.peek(key)?.value;
  }

  /** Whether this value is cached for the key and is not marked as doubtful. */
  holds(key: string, value: Value): boolean {
    const entry = this.#entries.peek(key);
    return entry?.epoch === this.#epoch && entry.value === value;
  }

  /** Removes all cached responses for which `matches` returns true. */
  invalidate(matches: (value: Value, key: string) => boolean): void {
    this.#generation += 1;
    this.#loading.clear();
    for (const [key, entry] of this.#entries) {
      if (matches(entry.value, key)) this.#entries.delete(key);
    }
  }

  /**
   * Removes cached responses that are too old even for an outage of their service. Must be called
   * periodically.
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
    this.#generation += 1;
    this.#loading.clear();
    for (const key of [...(this.#keysByTag.get(tag) ?? [])]) this.#entries.delete(key);
  }

  /**
   * Marks every cached response as doubtful, because broadcasts may have been missed. Each doubtful response
   * is reloaded before it is used. The service that sent the responses may reconnect later than this process,
   * so cached responses stay available as a fallback.
   */
  doubtAll(): void {
    this.#generation += 1;
    this.#epoch += 1;
    this.#loading.clear();
  }
}

/**
 * Delays before each retry, in milliseconds. In total, the delays cover the time that a service needs to
 * reconnect to the message bus.
 */
const pausesMs = [50, 150, 400];

/**
 * Retries a query to an unavailable service a few times. The query must have no side effects. After the
 * message bus restarts, callers reconnect before the services do. Until the services reconnect, the retries
 * keep requests from failing.
 * @param failure the error from the first call; thrown immediately unless it is `service_unavailable`
 * @param signal ends the retries
 */
export async function retryWhileUnavailable<Answer>(
  failure: unknown,
  ask: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  let last = failure;
  for (const pauseMs of pausesMs) {
    if (!(last instanceof GatewayError) || last.code !== 'service_unavailable') break;
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
