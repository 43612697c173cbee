import { accountEpochName, keyEpochName } from '@gateway/contracts';
import type { Redis } from 'ioredis';
import type { Logger } from '@gateway/observability';
import { LocalRateLimiter } from './local-rate-limiter.ts';
import type { LimitedCaller, RateDecision, RateLimiter } from './rate-limiter.port.ts';

/**
 * A sliding window of 60 s in steps of one second, kept as one hash a key: a field for each second that had requests,
 * and their running total. A step leaves the window when a request comes after it, so a call costs as much as the
 * seconds that passed since the last one, at most 60. Time is Redis's own, so replicas with skewed clocks agree.
 *
 * KEYS[1] the window, KEYS[2] and [3] the epochs of the key's and its account's last changes; ARGV[1] the limit. Returns
 * {admitted, count, milliseconds until there is room or it is empty, the later epoch or -1 if one is negative}.
 */
const slidingWindow = `
local time = redis.call('TIME')
local nowSecond = tonumber(time[1])
local intoSecondMs = math.floor(tonumber(time[2]) / 1000)
local limit = tonumber(ARGV[1])
local state = redis.call('HMGET', KEYS[1], 'total', 'oldest')
local total = tonumber(state[1]) or 0
local oldest = tonumber(state[2]) or nowSecond
if nowSecond - oldest > 60 and total > 0 then
  local kept = 0
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local second = tonumber(fields[i])
    if second then
      if second <= nowSecond - 60 then redis.call('HDEL', KEYS[1], fields[i]) else kept = kept + tonumber(fields[i + 1]) end
    end
  end
  total = kept
  oldest = nowSecond - 59
else
  while oldest <= nowSecond - 60 do
    local count = redis.call('HGET', KEYS[1], tostring(oldest))
    if count then
      total = total - tonumber(count)
      redis.call('HDEL', KEYS[1], tostring(oldest))
    end
    oldest = oldest + 1
  end
end
local admitted = 0
if total < limit then
  admitted = 1
  total = total + 1
  redis.call('HINCRBY', KEYS[1], tostring(nowSecond), 1)
end
redis.call('HSET', KEYS[1], 'total', total, 'oldest', oldest)
redis.call('EXPIRE', KEYS[1], 61)
local resetMs = 60000 - intoSecondMs
if admitted == 0 then
  local second = oldest
  while second < nowSecond and not redis.call('HGET', KEYS[1], tostring(second)) do second = second + 1 end
  resetMs = (second + 60 - nowSecond) * 1000 - intoSecondMs
end
local epochs = redis.call('MGET', KEYS[2], KEYS[3])
local keyEpoch = tonumber(epochs[1]) or 0
local accountEpoch = tonumber(epochs[2]) or 0
local epoch = math.max(keyEpoch, accountEpoch)
if keyEpoch < 0 or accountEpoch < 0 then epoch = -1 end
return {admitted, total, math.max(resetMs, 1), epoch}
`;

interface WindowCommands {
  admitRequest(
    window: string,
    keyEpoch: string,
    accountEpoch: string,
    limit: number,
  ): Promise<[number, number, number, number]>;
}

/**
 * Exact across replicas. The connection's own `commandTimeout` bounds the wait; with Redis away each process admits a share
 * of the limit by itself, and says so once.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: Redis & WindowCommands;
  readonly #log: Logger;
  readonly #local = new LocalRateLimiter();
  #away = false;

  constructor(redis: Redis, log: Logger) {
    redis.defineCommand('admitRequest', { numberOfKeys: 3, lua: slidingWindow });
    this.#redis = redis as Redis & WindowCommands;
    this.#log = log;
  }

  async admit(caller: LimitedCaller): Promise<RateDecision> {
    const { accountId, keyId, rateLimitRpm: limit } = caller;
    try {
      const [admitted, count, resetMs, epoch] = await this.#redis.admitRequest(
        `rpm:{${accountId}}:${keyId}`,
        keyEpochName(accountId, keyId),
        accountEpochName(accountId),
        limit,
      );
      this.#noteAway(false);
      const remaining = Math.max(0, limit - count);
      return { admitted: admitted === 1, limit, remaining, resetMs, local: false, epoch };
    } catch (error) {
      this.#noteAway(true, error);
      return this.#local.admit(caller);
    }
  }

  #noteAway(away: boolean, error?: unknown): void {
    if (away === this.#away) return;
    this.#away = away;
    if (away) this.#log.warn({ err: error }, 'rate limits are local and conservative: Redis does not answer');
    else this.#log.info('rate limits are shared again: Redis answers');
  }
}
