import { LRUCache } from 'lru-cache';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';

interface RemoteCacheOptions<Value> {
  readonly entriesMax: number;
  /** How long an answer is used without asking again. */
  readonly freshMs: number;
  /** How long, past its freshness, an answer may stand in while its owner cannot be reached and broadcasts still arrive. */
  readonly staleMs: number;
  readonly load: (key: string) => Promise<Value>;
  /** Whether broadcasts of changes can reach us now. With the bus cut, nothing stale is used. */
  readonly broadcastsArrive: () => boolean;
  readonly now?: () => number;
  /** What a value may be invalidated by, besides its key: finding it costs as much as what is found. */
  readonly tagsOf?: (value: Value) => readonly string[];
}

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAt: number;
  /** The epoch it was loaded in: before the present one, its owner is asked again before it is used. */
  readonly epoch: number;
}

/**
 * A bounded memory of another service's answers. It is correct under invalidation: an answer that was asked for
 * before an invalidation is used for the request that asked, and never kept.
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

  /** The fresh answer kept for a key, without a wait; undefined if there is none. */
  peek(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry?.epoch !== this.#epoch) return undefined;
    return this.#now() - entry.loadedAt < this.#options.freshMs ? entry.value : undefined;
  }

  /** The answer for a key: kept, or loaded once for all who ask meanwhile. */
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
      value = await askAgain(error, () => this.#options.load(key));
    }
    if (generation === this.#generation) this.#keep(key, value);
    return value;
  }

  /** A doubted answer stands in no longer than it would have been used had the bus stayed cut. */
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

  /** What is kept for a key, however old or doubtful; undefined if nothing is. */
  kept(key: string): Value | undefined {
    return this.#entries.peek(key)?.value;
  }

  /** Whether this very answer is the one kept for a key, and nothing has put it in doubt. */
  holds(key: string, value: Value): boolean {
    const entry = this.#entries.peek(key);
    return entry?.epoch === this.#epoch && entry.value === value;
  }

  /** Forgets the answers that `matches` says are out of date. */
  invalidate(matches: (value: Value, key: string) => boolean): void {
    this.#generation += 1;
    this.#loading.clear();
    for (const [key, entry] of this.#entries) {
      if (matches(entry.value, key)) this.#entries.delete(key);
    }
  }

  /** Lets go of the answers that can not be used any more, not even to stand in. For who calls it at times. */
  dropExpired(): void {
    const { freshMs, staleMs } = this.#options;
    const loadedBefore = this.#now() - freshMs - staleMs;
    for (const [key, entry] of this.#entries) {
      if (entry.loadedAt <= loadedBefore) this.#entries.delete(key);
    }
  }

  /** Forgets the answers that have a tag. */
  invalidateTag(tag: string): void {
    this.#generation += 1;
    this.#loading.clear();
    for (const key of [...(this.#keysByTag.get(tag) ?? [])]) this.#entries.delete(key);
  }

  /**
   * Broadcasts may have been missed: every answer is asked for again before it is used. The bus may be back for us before it
   * is for the owner, so answers are kept to stand in meanwhile.
   */
  doubtAll(): void {
    this.#generation += 1;
    this.#epoch += 1;
    this.#loading.clear();
  }
}

/** Waits before each further question: together as long as a service takes to come back to the bus. */
const pausesMs = [50, 150, 400];

/**
 * Asks a service again that was not there, a few times. For questions that change nothing: after a restart of the bus,
 * callers are connected again before those who answer, and a request should not fail for that.
 *
 * @param failure why it could not be asked; thrown at once unless it is `service_unavailable`.
 */
export async function askAgain<Answer>(failure: unknown, ask: () => Promise<Answer>): Promise<Answer> {
  let last = failure;
  for (const pauseMs of pausesMs) {
    if (!(last instanceof GatewayError) || last.code !== 'service_unavailable') break;
    await wait(pauseMs);
    try {
      return await ask();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
