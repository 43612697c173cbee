import type { Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';

/** The part of Redis that the count needs. */
export interface CountingRedis {
  incr(key: string): Promise<number>;
}

/** An account's first requests are never drawn for shadow routing: people look at them. */
const firstRequests = 5;

/** Tells accounts that have made their first requests with tools from those that have not. */
export class FirstRequests {
  readonly #redis: CountingRedis;
  readonly #log: Logger;
  readonly #passed = new LRUCache<string, true>({ max: 100_000 });

  constructor(redis: CountingRedis, log: Logger) {
    this.#redis = redis;
    this.#log = log;
  }

  /** Counts a request, and says whether the account is known to be past its first ones. Waits for nobody. */
  hasPassed(accountId: string): boolean {
    if (this.#passed.has(accountId)) return true;
    this.#redis
      .incr(`first-requests:v1:${accountId}`)
      .then((count) => {
        if (count >= firstRequests) this.#passed.set(accountId, true);
      })
      .catch((error: unknown) => this.#log.debug({ err: error }, 'first requests are not counted'));
    return false;
  }
}
