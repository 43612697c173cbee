import { setTimeout as delay } from 'node:timers/promises';
import { accountEpochName, keyEpochName } from '@gateway/contracts';
import type { Redis } from 'ioredis';
import type { Logger } from '@gateway/observability';
import { accountKey } from '../cache/account-keys.ts';
import { LocalRateLimiter } from './local-rate-limiter.ts';
import { nameWindow, type LimitedCaller, type RateDecision, type RateLimiter } from './rate-limiter.port.ts';

/**
 * A sliding window of 60 s, divided into steps of half a second. Each key has one hash, with a field for each step that
 * has requests and a field for their running total. The hash has at most 122 fields, which Redis stores compactly. A
 * step expires once all of it is 60 s old, so the limit is never exceeded in any 60 s. A steady flow stays at most 0.8%
 * below the limit. Expired steps are removed when the next request arrives, so the cost of a call depends on the number
 * of steps since the last one. The script uses Redis's clock, so replicas with skewed clocks agree.
 *
 * Windows are small and expire, so the script may write while Redis is out of memory (Redis manual, "Script flags").
 * Limits then stay exact.
 *
 * KEYS[1] is the window. KEYS[2] and KEYS[3] are the epochs of the latest changes to the key and its account. ARGV[1] is
 * the limit, and ARGV[2] the number of requests. The reply has five numbers:
 *
 * 1. admitted requests
 * 2. requests in the window, including these
 * 3. milliseconds until the window is empty
 * 4. milliseconds until there is room for the rejected requests
 * 5. the later epoch, or -1 if either is negative
 */
const slidingWindow = `#!lua flags=allow-oom
local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now = math.floor(nowMs / 500)
local first = now - 120
local limit, asked = tonumber(ARGV[1]), tonumber(ARGV[2])
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
local admitted = math.min(asked, math.max(limit - total, 0))
if admitted > 0 then
  total = total + admitted
  redis.call('HINCRBY', KEYS[1], tostring(now), admitted)
end
local leaves = now
if admitted < asked then
  while oldest < now and redis.call('HEXISTS', KEYS[1], tostring(oldest)) == 0 do oldest = oldest + 1 end
  leaves = oldest
end
local emptyMs = (now + 121) * 500 - nowMs
local roomMs = (leaves + 121) * 500 - nowMs
redis.call('HSET', KEYS[1], 'total', total, 'oldest', oldest)
redis.call('EXPIRE', KEYS[1], 61)
local epochs = redis.call('MGET', KEYS[2], KEYS[3])
local keyEpoch = tonumber(epochs[1]) or 0
local accountEpoch = tonumber(epochs[2]) or 0
local epoch = math.max(keyEpoch, accountEpoch)
if keyEpoch < 0 or accountEpoch < 0 then epoch = -1 end
return {admitted, total, math.max(emptyMs, 1), math.max(roomMs, 1), epoch}
`;

interface WindowCommands {
  admitRequests(
    window: string,
    keyEpoch: string,
    accountEpoch: string,
    limit: number,
    asked: number,
  ): Promise<[admitted: number, count: number, emptyMs: number, roomMs: number, epoch: number]>;
}

/**
 * Name of the Redis command that rate limiters define on a connection. Rate limiters batch requests
 * themselves, so the command must not be pipelined.
 */
export const admitCommand = 'admitRequests' satisfies keyof WindowCommands;

type Answer = (decision: RateDecision | Promise<RateDecision>) => void;

/** Pending requests for one key and one limit, to be counted together. */
interface Waiting {
  readonly caller: LimitedCaller;
  readonly answers: Answer[];
}

/**
 * If a key's requests arrive faster than Redis can count them, those that arrive within this time are counted
 * together.
 */
const gatherMs = 2;

/**
 * A rate limiter that is exact across replicas. If no other request for the key is being counted, a new
 * request is counted immediately. Requests that arrive meanwhile are counted together afterwards. The
 * connection's `commandTimeout` limits how long a request waits. While Redis is unavailable, each process
 * admits a fixed share of the limit and logs this once.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: Redis & WindowCommands;
  readonly #log: Logger;
  readonly #local = new LocalRateLimiter();
  /** Contains a key while Redis is counting its requests. */
  readonly #counting = new Map<string, Waiting>();
  #away = false;

  constructor(redis: Redis, log: Logger) {
    redis.defineCommand(admitCommand, { numberOfKeys: 3, lua: slidingWindow });
    this.#redis = redis as Redis & WindowCommands;
    this.#log = log;
  }

  admit(caller: LimitedCaller): Promise<RateDecision> {
    return new Promise((resolve) => {
      const name = `${caller.accountId} ${nameWindow(caller)} ${caller.rateLimitRpm}`;
      const waiting = this.#counting.get(name);
      if (waiting === undefined) void this.#countAll(name, caller, resolve);
      else waiting.answers.push(resolve);
    });
  }

  async #countAll(name: string, caller: LimitedCaller, first: Answer): Promise<void> {
    for (let answers = [first]; answers.length > 0;) {
      const waiting: Waiting = { caller, answers: [] };
      this.#counting.set(name, waiting);
      await this.#count(caller, answers);
      if (waiting.answers.length > 1) await delay(gatherMs);
      answers = waiting.answers;
    }
    this.#counting.delete(name);
  }

  async #count(caller: LimitedCaller, answers: readonly Answer[]): Promise<void> {
    const { accountId, keyId, rateLimitRpm: limit } = caller;
    try {
      const [admitted, count, emptyMs, roomMs, epoch] = await this.#redis.admitRequests(
        accountKey('rpm', accountId, nameWindow(caller)),
        keyEpochName(accountId, keyId),
        accountEpochName(accountId),
        limit,
        answers.length,
      );
      this.#noteAway(false);
      const common = { limit, local: false, epoch };
      for (const [at, answer] of answers.entries()) {
        const used = count - Math.max(0, admitted - 1 - at);
        const remaining = Math.max(0, limit - used);
        const isAdmitted = at < admitted;
        answer({ ...common, admitted: isAdmitted, remaining, resetMs: isAdmitted ? emptyMs : roomMs });
      }
    } catch (error) {
      this.#noteAway(true, error);
      for (const answer of answers) answer(this.#local.admit(caller));
    }
  }

  #noteAway(away: boolean, error?: unknown): void {
    if (away === this.#away) return;
    this.#away = away;
    if (away) this.#log.warn({ err: error }, 'rate limits are local and conservative: Redis does not answer');
    else this.#log.info('rate limits are shared again: Redis answers');
  }
}
