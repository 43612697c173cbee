import type { Redis } from 'ioredis';

/**
 * Stores a value if it fits into the account's share. KEYS[1] is the key of the value, and KEYS[2] is the key
 * of the account's byte count for the current day. ARGV contains the value, its lifetime in seconds, the
 * account's share in bytes, and the bytes that Redis needs per key. If a stored value is overwritten, only
 * the additional bytes are counted. The script returns 1 if the value was stored.
 */
const setInShare = `
local known = redis.call('STRLEN', KEYS[1])
local added = string.len(ARGV[1]) - known
if known == 0 then added = added + tonumber(ARGV[4]) end
if added > 0 then
  local used = tonumber(redis.call('GET', KEYS[2])) or 0
  if used + added > tonumber(ARGV[3]) then return 0 end
  redis.call('INCRBY', KEYS[2], added)
  redis.call('EXPIRE', KEYS[2], 86400)
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
`;

interface ShareCommands {
  setInShare(
    key: string,
    counter: string,
    value: Buffer | string,
    seconds: number,
    bytesMax: number,
    keyBytes: number,
  ): Promise<number>;
}

/** Number of bytes that Redis uses for a short key with an expiry, without the value (measured with `MEMORY USAGE`). */
const keyBytes = 200;
const dayMs = 86_400_000;

export interface AccountCacheOptions {
  /** The name of the byte counters in Redis. All values with the same purpose count toward the same maximum. */
  readonly purpose: string;
  /**
   * Maximum number of bytes that one account may write per UTC day. If the values' lifetime is one day, the
   * account occupies at most twice `bytesPerDayMax`.
   */
  readonly bytesPerDayMax: number;
  /** A function that is called whenever a value is not stored because the account's share is used up. */
  readonly onRefused: () => void;
}

/**
 * A cache for account data in the cache Redis server. No account can fill the cache and
 * thereby evict the values of other accounts. Callers must work correctly without a cached value, because
 * Redis may evict the value.
 */
export class AccountCache {
  readonly #redis: Redis & ShareCommands;
  readonly #options: AccountCacheOptions;

  constructor(redis: Redis, options: AccountCacheOptions) {
    redis.defineCommand('setInShare', { numberOfKeys: 2, lua: setInShare });
    this.#redis = redis as Redis & ShareCommands;
    this.#options = options;
  }

  get(key: string): Promise<string | null> {
    return this.#redis.get(key);
  }

  mget(...keys: string[]): Promise<(string | null)[]> {
    return this.#redis.mget(...keys);
  }

  mgetBuffer(...keys: string[]): Promise<(Buffer | null)[]> {
    return this.#redis.mgetBuffer(...keys);
  }

  /**
   * Stores a value for an account. Resolves to false if the account has used up its share. Rejects if Redis
   * is unavailable or full.
   */
  async set(accountId: string, key: string, value: Buffer | string, seconds: number): Promise<boolean> {
    const { purpose, bytesPerDayMax, onRefused } = this.#options;
    const counter = `share:v1:{${accountId}}:${purpose}:${Math.floor(Date.now() / dayMs)}`;
    const stored = await this.#redis.setInShare(key, counter, value, seconds, bytesPerDayMax, keyBytes);
    if (stored === 0) onRefused();
    return stored === 1;
  }
}
