import { tokenCounts, type TokenCounts } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';
import type { CountStore } from './count-store.port.ts';

/** The part of Redis that the store needs. */
export interface CountRedis {
  mget(...keys: string[]): Promise<(string | null)[]>;
  set(key: string, value: string, unit: 'EX', seconds: number): Promise<unknown>;
}

/** As long as originals. */
const keptSeconds = 24 * 3600;

/** Counts in the cache's Redis: two numbers under the name of a block, which says nothing of what it is. */
export class RedisCountStore implements CountStore {
  readonly #redis: CountRedis;
  readonly #log: Logger;

  constructor(redis: CountRedis, log: Logger) {
    this.#redis = redis;
    this.#log = log;
  }

  keep(id: string, counts: TokenCounts): void {
    this.#redis.set(keyOf(id), JSON.stringify(counts), 'EX', keptSeconds).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'counts are not kept');
    });
  }

  async find(ids: readonly string[]): Promise<(TokenCounts | null)[]> {
    try {
      const values = await this.#redis.mget(...ids.map(keyOf));
      return values.map((value) => (value === null ? null : tokenCounts.parse(JSON.parse(value))));
    } catch (error) {
      this.#log.debug({ err: error }, 'counts cannot be looked up');
      return ids.map(() => null);
    }
  }
}

function keyOf(id: string): string {
  return `tokens:v1:${id}`;
}
