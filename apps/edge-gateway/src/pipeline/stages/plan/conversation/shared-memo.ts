import { withTimeout, type Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { accountKey, type AccountKeyKind } from '../../../../cache/account-keys.ts';

/** The Redis commands that the cache of conversations uses (`AccountCache`). */
export interface ConversationRedis {
  get(key: string): Promise<string | null>;
  set(accountId: string, key: string, value: string, seconds: number): Promise<unknown>;
}

interface ValueKind<Value> {
  readonly kind: AccountKeyKind;
  /** Approximate memory of a cached entry in bytes. */
  readonly sizeOf: (value: Value) => number;
  /** Renders a value for storage in Redis. Returns null if the encrypted data is too long for Redis. */
  readonly render: (value: Value) => string | null;
  /** Parses a value stored in Redis. For invalid data, the function may return undefined or throw. */
  readonly parse: (text: string) => Value | undefined;
  /** The debug log message when Redis is unavailable, which names the effect on planning. */
  readonly unavailable: string;
}

/** Lifetime of a cache entry in seconds. The prompt caches of providers also expire within one day. */
const keptSeconds = 24 * 3600;
/** Minimum time between two readings of the clock, in milliseconds. Entries may expire one second late. */
const ttlResolutionMs = 1_000;
/**
 * Maximum time in milliseconds for which planning waits for Redis. A cache entry that does not arrive in time
 * is treated as missing.
 */
const waitMs = 25;

/**
 * Stores encrypted data of conversations by name. Cache entries are stored in this process and, for other
 * replicas, in Redis.
 */
export class SharedMemo<Value extends object> {
  readonly #redis: ConversationRedis;
  readonly #log: Logger;
  readonly #kind: ValueKind<Value>;
  readonly #kept: LRUCache<string, Value>;

  constructor(redis: ConversationRedis, log: Logger, kind: ValueKind<Value>) {
    this.#redis = redis;
    this.#log = log;
    this.#kind = kind;
    this.#kept = new LRUCache({
      ttl: keptSeconds * 1_000,
      ttlResolution: ttlResolutionMs,
      maxSize: 64 * 1024 * 1024,
      sizeCalculation: kind.sizeOf,
    });
  }

  /**
   * Finds a value. This method never throws. Returns undefined if no entry exists, or if Redis is
   * unavailable, slow or returns invalid data.
   * @param signal an abort signal. If the signal is already aborted, the method does not wait for Redis.
   */
  find(
    accountId: string,
    name: string,
    signal?: AbortSignal,
  ): Value | undefined | Promise<Value | undefined> {
    return this.#kept.get(name) ?? this.#load(accountId, name, signal);
  }

  /**
   * Reads a value from Redis again, after `find` did not find it in time. This method never throws. It waits for as
   * long as Redis commands may take.
   */
  reload(accountId: string, name: string): Promise<Value | undefined> {
    return this.#read(accountId, name, (reading) => reading);
  }

  /** Returns the entry from the memory of this process, without a Redis lookup. */
  peek(name: string): Value | undefined {
    return this.#kept.get(name);
  }

  keep(accountId: string, name: string, value: Value): void {
    this.#kept.set(name, value);
    const text = this.#kind.render(value);
    if (text === null) return;
    this.#redis.set(accountId, this.#keyOf(accountId, name), text, keptSeconds).catch(this.#isAway);
  }

  #load(accountId: string, name: string, signal: AbortSignal | undefined): Promise<Value | undefined> {
    const limitMs = signal?.aborted === true ? 0 : waitMs;
    return this.#read(accountId, name, (reading) => withTimeout(reading, limitMs, null));
  }

  async #read(
    accountId: string,
    name: string,
    limit: (reading: Promise<string | null>) => Promise<string | null>,
  ): Promise<Value | undefined> {
    try {
      const text = await limit(this.#redis.get(this.#keyOf(accountId, name)));
      const value = text === null ? undefined : this.#kind.parse(text);
      if (value !== undefined) this.#kept.set(name, value);
      return value;
    } catch (error) {
      this.#isAway(error);
      return undefined;
    }
  }

  #keyOf(accountId: string, name: string): string {
    return accountKey(this.#kind.kind, accountId, name);
  }

  readonly #isAway = (error: unknown): void => {
    this.#log.debug({ err: error }, this.#kind.unavailable);
  };
}
