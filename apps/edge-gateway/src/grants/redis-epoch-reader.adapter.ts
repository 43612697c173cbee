import { accountEpochName, keyEpochName, type KeyGrant } from '@gateway/contracts';
import type { Redis } from 'ioredis';
import type { EpochReader } from './epoch-reader.port.ts';

/**
 * Reads the epochs (change numbers) of API keys from Redis. The reader sends one command per key in a single
 * pipeline, because the keys may be on several Redis servers.
 */
export class RedisEpochReader implements EpochReader {
  readonly #redis: Redis;

  /** @param redis the connection of the rate limiter, with automatic pipelining and a command timeout */
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async read(keys: readonly Pick<KeyGrant, 'accountId' | 'keyId'>[]): Promise<readonly number[] | null> {
    try {
      const read = keys.map(({ accountId, keyId }) =>
        this.#redis.mget(keyEpochName(accountId, keyId), accountEpochName(accountId)),
      );
      return (await Promise.all(read)).map((epochs) => chooseEpoch(epochs.map(Number)));
    } catch {
      return null;
    }
  }
}

/**
 * Merges the epochs of an API key and its account. A negative epoch (permanently revoked) takes precedence. If no
 * epoch is negative, the function returns the later epoch. A missing epoch counts as 0.
 */
function chooseEpoch(epochs: readonly number[]): number {
  return Math.min(...epochs) < 0 ? -1 : Math.max(...epochs);
}
