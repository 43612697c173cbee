import type { Redis } from 'ioredis';
import { accountKey } from '../cache/account-keys.ts';
import type { ObservationStore, Sums, SumsByName } from './observation-store.port.ts';

/**
 * Decays an account's totals, adds to these totals and returns all totals of the account. The script uses the
 * clock of the Redis server, so that gateway processes with skewed clocks get the same totals.
 *
 * KEYS[1] is the account's hash. ARGV[1] is the lifetime in seconds, and ARGV[2] is the maximum number of
 * names. The remaining arguments are six values per name. The six values are the name, the half-life in ms,
 * and the values to add to weight, firstTokenMs, paced and msPerToken. Returns {now in ms, name, totals, …}.
 */
const addScript = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local names = redis.call('HLEN', KEYS[1])
for i = 3, #ARGV, 6 do
  local kept = redis.call('HGET', KEYS[1], ARGV[i])
  local sums = {0, 0, 0, 0}
  local known = false
  if kept then
    local w, f, p, m, at = string.match(kept, '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
    if at then
      known = true
      local factor = 2 ^ (-math.max(0, now - tonumber(at)) / tonumber(ARGV[i + 1]))
      sums = {tonumber(w) * factor, tonumber(f) * factor, tonumber(p) * factor, tonumber(m) * factor}
    end
  end
  if known or names < tonumber(ARGV[2]) then
    if not kept then names = names + 1 end
    for j = 1, 4 do sums[j] = sums[j] + tonumber(ARGV[i + 1 + j]) end
    redis.call('HSET', KEYS[1], ARGV[i], string.format('%.6g %.6g %.6g %.6g %.0f', sums[1], sums[2], sums[3], sums[4], now))
  end
end
if #ARGV > 2 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
local all = redis.call('HGETALL', KEYS[1])
table.insert(all, 1, tostring(now))
return all
`;

interface ObservationCommands {
  addObservations(key: string, ...args: (string | number)[]): Promise<string[]>;
}

/** Time after which an account's unchanged totals expire, in seconds. */
const keptSeconds = 14 * 24 * 3600;
/**
 * Maximum number of names (models and complexity bins) that are stored per account. The maximum exceeds the number
 * of catalogue models that an account can use.
 */
const namesMax = 1_500;

export class RedisObservations implements ObservationStore {
  readonly #redis: Redis & ObservationCommands;

  constructor(redis: Redis) {
    redis.defineCommand('addObservations', { numberOfKeys: 1, lua: addScript });
    this.#redis = redis as Redis & ObservationCommands;
  }

  async add(
    accountId: string,
    added: ReadonlyMap<string, Sums>,
    halfLifeMs: (name: string) => number,
  ): Promise<SumsByName> {
    const args = [...added].flatMap(([name, { weight, firstTokenMs, paced, msPerToken }]) => [
      name,
      halfLifeMs(name),
      weight,
      firstTokenMs,
      paced,
      msPerToken,
    ]);
    const reply = await this.#redis.addObservations(
      accountKey('observed:v2', accountId),
      keptSeconds,
      namesMax,
      ...args,
    );
    return parseReply(reply);
  }

  forget(accountId: string): Promise<number> {
    return this.#redis.del(accountKey('observed:v2', accountId));
  }
}

/** Converts Redis timestamps to the local clock. The conversion keeps the age of each total. */
function parseReply([nowText = '0', ...fields]: readonly string[]): SumsByName {
  const skewMs = Date.now() - Number(nowText);
  const found: SumsByName = new Map();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [weight = 0, firstTokenMs = 0, paced = 0, msPerToken = 0, time = 0] = (fields[at + 1] ?? '')
      .split(' ')
      .map(Number);
    if (!Number.isFinite(weight + firstTokenMs + paced + msPerToken + time)) continue;
    found.set(fields[at] ?? '', { weight, firstTokenMs, paced, msPerToken, at: time + skewMs });
  }
  return found;
}
