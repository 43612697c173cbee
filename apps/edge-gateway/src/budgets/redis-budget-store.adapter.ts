import type { Redis } from 'ioredis';
import { accountKey } from '../cache/account-keys.ts';
import type { BudgetState, BudgetStore, BudgetSync } from './budget-store.port.ts';

/**
 * Exchanges the state of one API key's budget between an edge and Redis. Each API key has one hash in Redis. The
 * hash's field `spent` holds "day, tokens used that day, tokens used that week". Each edge has a field that holds
 * "tokens reserved, last settlement number, end of its lease in Unix seconds". Days and leases use the clock of the
 * Redis server, so that gateway processes with skewed clocks get the same result. An edge's field is kept for an
 * hour after its lease ends, so that the script recognizes a settlement that is repeated late.
 *
 * KEYS[1] is the hash of the API key. ARGV[1] is the edge, ARGV[2] the settlement number, and ARGV[3] the
 * lease in seconds. ARGV[4] and ARGV[5] are the daily and the weekly budget. ARGV[6] is the number of
 * reserved tokens. ARGV[7] and ARGV[8] are the day to settle and the number of tokens to settle. ARGV[9] to ARGV[11]
 * are the last known usage, as the day and the tokens used on that day and in that week. ARGV[12] is the number
 * of requests for which tokens are reserved in advance. ARGV[13] and all later arguments are the token counts
 * that each waiting request may save. Returns {admitted, reserved, room, day, tokens that day, tokens that week}.
 *
 * Days are counted from 1970-01-01, a Thursday. A week starts on Monday. The script may write even while
 * Redis is out of memory, because the hashes are small and expire.
 */
const syncBudget = `#!lua flags=allow-oom
local now = tonumber(redis.call('TIME')[1])
local day = math.floor(now / 86400)
local function weekOf(d) return math.floor((d + 3) / 7) end
local today, thisWeek, others, settledBefore = 0, 0, 0, 0
local isEmpty = ARGV[13] == '0'
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local a, b, c = string.match(fields[i + 1], '(%d+) (%d+) (%d+)')
  a, b, c = tonumber(a), tonumber(b), tonumber(c)
  if fields[i] == 'spent' then
    isEmpty = false
    day = math.max(day, a)
    if a == day then today = b end
    if weekOf(a) == weekOf(day) then thisWeek = c end
  elseif fields[i] == ARGV[1] then
    settledBefore = b
  elseif c > now then
    others = others + a
  elseif c + 3600 < now then
    redis.call('HDEL', KEYS[1], fields[i])
  end
end
if isEmpty then return {} end
local knownDay = tonumber(ARGV[9])
if knownDay == day then today = math.max(today, tonumber(ARGV[10])) end
if weekOf(knownDay) == weekOf(day) then thisWeek = math.max(thisWeek, tonumber(ARGV[11])) end
local settlement = tonumber(ARGV[2])
if settlement > settledBefore then
  local settledDay, tokens = tonumber(ARGV[7]), tonumber(ARGV[8])
  if settledDay >= day then today = today + tokens end
  if weekOf(settledDay) >= weekOf(day) then thisWeek = thisWeek + tokens end
else
  settlement = settledBefore
end
local held = tonumber(ARGV[6])
local room = math.min(tonumber(ARGV[4]) - today, tonumber(ARGV[5]) - thisWeek) - others - held
local admitted, largest = 0, 0
for i = 14, #ARGV do
  if room <= 0 then break end
  local tokens = tonumber(ARGV[i])
  admitted = admitted + 1
  held = held + tokens
  room = room - tokens
  largest = math.max(largest, tokens)
end
if largest > 0 and admitted == #ARGV - 13 then
  local ahead = largest * math.max(0, math.min(tonumber(ARGV[12]), math.floor(room / 16 / largest)))
  held = held + ahead
  room = room - ahead
end
redis.call('HSET', KEYS[1],
  'spent', string.format('%.0f %.0f %.0f', day, today, thisWeek),
  ARGV[1], string.format('%.0f %.0f %.0f', held, settlement, now + tonumber(ARGV[3])))
redis.call('EXPIRE', KEYS[1], 691200)
return {admitted, held, room, day, today, thisWeek}
`;

type Reply = readonly [
  admitted: number,
  held: number,
  room: number,
  day: number,
  today: number,
  thisWeek: number,
];

interface BudgetCommands {
  syncTokenBudget(key: string, ...args: (string | number)[]): Promise<Reply | []>;
}

/**
 * Stores token budgets in the Redis server of the job queue. The Redis server of the job queue never evicts keys and
 * persists its data to a file, because the current usage must survive a restart. The `commandTimeout` of the Redis
 * connection limits how long a call waits.
 */
export class RedisBudgetStore implements BudgetStore {
  readonly #redis: Redis & BudgetCommands;
  readonly #edge: string;
  readonly #leaseSeconds: number;

  /**
   * @param edge unique name of the process, because each process numbers its settlements from one.
   * @param leaseSeconds the number of seconds for which an edge's reservations are kept after its last sync
   */
  constructor(redis: Redis, edge: string, leaseSeconds = 30) {
    redis.defineCommand('syncTokenBudget', { numberOfKeys: 1, lua: syncBudget });
    this.#redis = redis as Redis & BudgetCommands;
    this.#edge = `edge:${edge}`;
    this.#leaseSeconds = leaseSeconds;
  }

  async sync(sync: BudgetSync): Promise<BudgetState | null> {
    const reply = await this.#redis.syncTokenBudget(
      accountKey('budget', sync.accountId, sync.keyId),
      this.#edge,
      sync.sequence,
      this.#leaseSeconds,
      sync.dailyTokenBudget,
      sync.weeklyTokenBudget,
      sync.heldTokens,
      sync.settled.day,
      sync.settled.tokens,
      sync.known?.day ?? 0,
      sync.known?.today ?? 0,
      sync.known?.thisWeek ?? 0,
      sync.ahead,
      sync.isRestored ? 1 : 0,
      ...sync.asked,
    );
    if (reply.length === 0) return null;
    const [admitted, heldTokens, roomTokens, day, today, thisWeek] = reply;
    return { admitted, heldTokens, roomTokens, spent: { day, today, thisWeek } };
  }
}
