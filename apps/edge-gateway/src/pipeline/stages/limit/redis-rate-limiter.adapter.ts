import { accountEpochName, keyEpochName } from '@gateway/contracts';
import type { Redis } from 'ioredis';
import type { Logger } from '@gateway/observability';
import { LocalRateLimiter } from './local-rate-limiter.ts';
import type { LimitedCaller, RateDecision, RateLimiter } from './rate-limiter.port.ts';

/**
 * A sliding window of 60 s in steps of half a second, kept as one hash a key: a field for each step that had requests,
 * and their running total (with these, 122 fields at most, which Redis keeps in one compact piece). A step leaves when
 * all of it is 60 s old, so no 60 s ever admit more than the limit, and a steady flow is at most 0.8% below it. Steps leave
 * when a request comes after them: a call costs as much as the steps that passed since the last one. Time is Redis's own,
 * so replicas with skewed clocks agree.
 *
 * KEYS[1] the window, KEYS[2] and [3] the epochs of the key's and its account's last changes; ARGV[1] the limit. Returns
 * {admitted, count, milliseconds until there is room or it is empty, the later epoch or -1 if one is negative}.
 */
const slidingWindow = `
local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now = math.floor(nowMs / 500)
local first = now - 120
local limit = tonumber(ARGV[1])
local state = redis.call('HMGET', KEYS[1], 'total', 'oldest')
local total = tonumber(state[1]) or 0
local oldest = tonumber(state[2]) or now
if total == 0 then
  oldest = math.max(oldest, first)
elseif first - oldest > 20 then
  total = 0
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local step = tonumber(fields[i])
    if step and step < first then redis.call('HDEL', KEYS[1], fields[i])
    elseif step then total = total + tonumber(fields[i + 1]) end
  end
  oldest = first
else
  while oldest < first do
    local count = redis.call('HGET', KEYS[1], tostring(oldest))
    if count then
      total = total - tonumber(count)
      redis.call('HDEL', KEYS[1], tostring(oldest))
    end
    oldest = oldest + 1
  end
end
local admitted, leaves = 0, now
if total < limit then
  admitted = 1
  total = total + 1
  redis.call('HINCRBY', KEYS[1], tostring(now), 1)
else
  while oldest < now and redis.call('HEXISTS', KEYS[1], tostring(oldest)) == 0 do oldest = oldest + 1 end
  leaves = oldest
end
local resetMs = (leaves + 121) * 500 - nowMs
redis.call('HSET', KEYS[1], 'total', total, 'oldest', oldest)
redis.call('EXPIRE', KEYS[1], 61)
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
