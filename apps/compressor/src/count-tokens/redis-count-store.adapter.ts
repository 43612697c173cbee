import { tokenCounts, type TokenCounts } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';

/** Exact token counts for blocks, stored for a limited time. */
export interface CountStore {
  /** Stores token counts. Returns immediately and never throws. */
  keep(accountId: string, id: string, counts: TokenCounts): void;
  /** Returns the token counts in the order of the request, with null for a missing count. Never rejects. */
  find(accountId: string, ids: readonly string[]): Promise<(TokenCounts | null)[]>;
}

export const COUNT_STORE = Symbol('CountStore');

/** The kind of Redis key under which token counts are stored. A key has the form `<kind>:{<account id>}:<block id>`. */
export const countKeyKind = 'tokens:v2';

/** The cache commands that the token count store uses (`AccountCache`). */
export interface CountRedis {
  mget(...keys: string[]): Promise<(string | null)[]>;
  set(accountId: string, key: string, value: string, seconds: number): Promise<unknown>;
}

/** Lifetime of token counts in seconds, equal to the lifetime of stored original texts. */
const keptSeconds = 24 * 3600;

/**
 * Stores two token counts per block id in the Redis server for caches. The block id does not reveal the block's
 * content.
 */
export class RedisCountStore implements CountStore {
  readonly #redis: CountRedis;
  readonly #log: Logger;

  constructor(redis: CountRedis, log: Logger) {
    this.#redis = redis;
    this.#log = log;
  }

  keep(accountId: string, id: string, counts: TokenCounts): void {
    this.#redis
      .set(accountId, keyOf(accountId, id), JSON.stringify(counts), keptSeconds)
      .catch((error: unknown) => {
        this.#log.debug(
          { err: error },
          'count store: writing to Redis failed, exact token counts are not stored',
        );
      });
  }

  async find(accountId: string, ids: readonly string[]): Promise<(TokenCounts | null)[]> {
    try {
      const values = await this.#redis.mget(...ids.map((id) => keyOf(accountId, id)));
      return values.map((value) => (value === null ? null : tokenCounts.parse(JSON.parse(value))));
    } catch (error) {
      this.#log.debug(
        { err: error },
        'count store: reading from Redis failed, exact token counts are missing',
      );
      return ids.map(() => null);
    }
  }
}

function keyOf(accountId: string, id: string): string {
  return `${countKeyKind}:{${accountId}}:${id}`;
}
