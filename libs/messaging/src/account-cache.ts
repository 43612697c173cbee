import type { Redis } from 'ioredis';

/**
 * Stores values while they fit into the account's share. KEYS[1] is the key of the account's byte count for the
 * current day, and the other keys are the keys of the values. ARGV contains the account's share in bytes, the
 * bytes that Redis needs per key, the values' lifetime in seconds, and the values. If a stored value is
 * overwritten, only the additional bytes are counted. The script returns the number of stored values.
 */
const setInShare = `
local share, keyBytes = tonumber(ARGV[1]), tonumber(ARGV[2])
local used = tonumber(redis.call('GET', KEYS[1])) or 0
local total, stored = 0, 0
for at = 2, #KEYS do
  local value = ARGV[at + 2]
  local known = redis.call('STRLEN', KEYS[at])
  local added = string.len(value) - known
  if known == 0 then added = added + keyBytes end
  if added <= 0 or used + total + added <= share then
    if added > 0 then total = total + added end
    redis.call('SET', KEYS[at], value, 'EX', ARGV[3])
    stored = stored + 1
  end
end
if total > 0 then
  redis.call('INCRBY', KEYS[1], total)
  redis.call('EXPIRE', KEYS[1], 86400)
end
return stored
`;

interface ShareCommands {
  setInShare(keys: number, ...keysAndValues: (string | number | Buffer)[]): Promise<number>;
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
  /** A function that is called with the number of values that were not stored because the account's share is used up. */
  readonly onRefused: (values: number) => void;
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
    redis.defineCommand('setInShare', { lua: setInShare });
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
    return (await this.setAll(accountId, [[key, value]], seconds)) === 1;
  }

  /**
   * Stores several values with a single command. Resolves to the number of stored values. Values that do not fit
   * into the account's share are not stored. Rejects if Redis is unavailable or full.
   */
  async setAll(
    accountId: string,
    entries: readonly (readonly [key: string, value: Buffer | string])[],
    seconds: number,
  ): Promise<number> {
    const { purpose, bytesPerDayMax, onRefused } = this.#options;
    const counter = `share:v1:{${accountId}}:${purpose}:${Math.floor(Date.now() / dayMs)}`;
    const stored = await this.#redis.setInShare(
      entries.length + 1,
      counter,
      ...entries.map(([key]) => key),
      ...[bytesPerDayMax, keyBytes, seconds],
      ...entries.map(([, value]) => value),
    );
    if (stored < entries.length) onRefused(entries.length - stored);
    return stored;
  }
}
