import type { Redis } from 'ioredis';
import { accountKey } from '../cache/account-keys.ts';
import type { BudgetState, BudgetStore, BudgetSync, SpentTokens } from './budget-store.port.ts';

/**
 * The Redis key with the data's name. The name consists of the Redis process and the time in milliseconds from
 * which the data may be incomplete. A restarted, replaced or emptied Redis server gets a new name.
 */
const dataKey = 'budget:data';

/** A Lua function that returns the data's name, and a Lua variable with the Redis server's time in milliseconds. */
const nameFunction = `
local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function nameData(key)
  local process = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  local name = redis.call('GET', key)
  if name and string.match(name, '^%w+') == process then return name end
  name = string.format('%s %.0f', process, nowMs)
  redis.call('SET', key, name)
  return name
end
`;

/** A script that returns the data's name. KEYS[1] is `dataKey`. */
const nameData = `#!lua flags=allow-oom
${nameFunction}
return nameData(KEYS[1])
`;

/**
 * Syncs one API key's budget with one edge. Each API key has one hash in Redis.
 *
 * The hash's field `spent` holds seven numbers:
 *
 * 1. the day, the tokens used that day, and the tokens used that week.
 * 2. the tokens of that day and of that week at the start of the generation.
 * 3. the generation, and the time in the data's name.
 *
 * The field of an edge holds four numbers: the reserved tokens, the tokens that the edge settled in the
 * generation, the end of the lease in Unix seconds, and the generation. An edge sends the total of its settled tokens, so that a repeated message
 * counts no token twice. Days and leases use the clock of the Redis server, so that gateway processes with
 * skewed clocks get the same result. An edge's field is kept for an hour after its lease ends, so that a late
 * repetition of a settlement can be recognized.
 *
 * A generation starts when the hash is empty or when the data has a new name, because usage may be missing.
 * Each edge then reports the usage that it knew before. The largest reported usage becomes the usage at the
 * start of the generation. Tokens settled in the generation are added to this usage, so the order of the
 * reports does not matter. For two seconds after the data got a new name, the script admits no requests, so
 * that all edges can report first.
 *
 * KEYS[1] is the hash of the API key, and KEYS[2] is `dataKey`. ARGV[1] is the edge, and ARGV[2] the lease in
 * seconds. ARGV[3] and ARGV[4] are the daily and the weekly budget. ARGV[5] is the number of reserved tokens.
 * ARGV[6] to ARGV[10] are the edge's memory: the generation, the confirmed tokens, the day, and the tokens
 * used on that day and in that week. ARGV[11] and ARGV[12] are the day to settle and the number of tokens to
 * settle. ARGV[13] to ARGV[15] are the usage in the request log: the day, and the tokens used on that day and
 * in that week. ARGV[16] is 1 if the edge has read the request log. ARGV[17] is the number of requests for
 * which tokens are reserved in advance. ARGV[18] and all later arguments are the token counts that each
 * waiting request may save. Returns {admitted, reserved, room, day, tokens that day, tokens that week,
 * generation, 1 if the store is recovering}.
 *
 * Days are counted from 1970-01-01, a Thursday. A week starts on Monday. The script may write even while
 * Redis is out of memory, because the hashes are small and expire.
 */
const syncBudget = `#!lua flags=allow-oom
${nameFunction}
local since = tonumber(string.match(redis.call('GET', KEYS[2]) or nameData(KEYS[2]), '%d+$'))
local now = math.floor(nowMs / 1000)
local day = math.floor(now / 86400)
local function weekOf(d) return math.floor((d + 3) / 7) end
local today, thisWeek, startToday, startWeek, others = 0, 0, 0, 0, 0
local generation, isIntact, isEmpty, own = 0, false, true, {}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local numbers = {}
  for number in string.gmatch(fields[i + 1], '%d+') do numbers[#numbers + 1] = tonumber(number) end
  if fields[i] == 'spent' then
    isEmpty = false
    day = math.max(day, numbers[1])
    if numbers[1] == day then today, startToday = numbers[2], numbers[4] or 0 end
    if weekOf(numbers[1]) == weekOf(day) then thisWeek, startWeek = numbers[3], numbers[5] or 0 end
    generation = numbers[6] or 0
    isIntact = numbers[7] == since
  elseif fields[i] == ARGV[1] then
    own = {settled = numbers[2], generation = numbers[4]}
  elseif numbers[3] > now then
    others = others + numbers[1]
  elseif numbers[3] + 3600 < now then
    redis.call('HDEL', KEYS[1], fields[i])
  end
end
if isEmpty and ARGV[16] == '0' then return {} end
local known = {generation = tonumber(ARGV[6]), settled = tonumber(ARGV[7])}
if not isIntact then
  generation = math.max(nowMs, generation + 1, known.generation + 1)
  startToday, startWeek = today, thisWeek
end
local function raise(missingToday, missingWeek)
  missingToday, missingWeek = math.max(0, missingToday), math.max(0, missingWeek)
  today, startToday = today + missingToday, startToday + missingToday
  thisWeek, startWeek = thisWeek + missingWeek, startWeek + missingWeek
end
local function usageAt(i)
  local d, a, b = tonumber(ARGV[i]), tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  return d == day and a or 0, weekOf(d) == weekOf(day) and b or 0
end
known.today, known.thisWeek = usageAt(8)
local settledDay, tokens = tonumber(ARGV[11]), tonumber(ARGV[12])
local settled, added = tokens, tokens
if known.generation == generation then
  settled = settled + known.settled
else
  raise(known.today - startToday, known.thisWeek - startWeek)
end
if own.generation == generation then
  added = settled - own.settled
  settled = math.max(settled, own.settled)
elseif own.generation == known.generation then
  added = known.settled + tokens - own.settled
end
added = math.max(0, math.min(added, tokens))
local loggedToday, loggedWeek = usageAt(13)
raise(loggedToday - today, loggedWeek - thisWeek)
if settledDay >= day then today = today + added end
if weekOf(settledDay) >= weekOf(day) then thisWeek = thisWeek + added end
local held = tonumber(ARGV[5])
local room = math.min(tonumber(ARGV[3]) - today, tonumber(ARGV[4]) - thisWeek) - others - held
local isRecovering = nowMs >= since and nowMs - since < 2000
local admitted, largest = 0, 0
for i = 18, #ARGV do
  if room <= 0 or isRecovering then break end
  local asked = tonumber(ARGV[i])
  admitted = admitted + 1
  held = held + asked
  room = room - asked
  largest = math.max(largest, asked)
end
if largest > 0 and admitted == #ARGV - 17 then
  local ahead = largest * math.max(0, math.min(tonumber(ARGV[17]), math.floor(room / 16 / largest)))
  held = held + ahead
  room = room - ahead
end
local function join(...)
  local words = {}
  for i, number in ipairs({...}) do words[i] = string.format('%.0f', number) end
  return table.concat(words, ' ')
end
redis.call('HSET', KEYS[1],
  'spent', join(day, today, thisWeek, startToday, startWeek, generation, since),
  ARGV[1], join(held, settled, now + tonumber(ARGV[2]), generation))
redis.call('EXPIRE', KEYS[1], 691200)
return {admitted, held, room, day, today, thisWeek, generation, isRecovering and 1 or 0}
`;

type Reply = readonly [
  admitted: number,
  held: number,
  room: number,
  day: number,
  today: number,
  thisWeek: number,
  generation: number,
  isRecovering: 0 | 1,
];

interface BudgetCommands {
  syncTokenBudget(key: string, data: string, ...args: (string | number)[]): Promise<Reply | []>;
  nameBudgetData(data: string): Promise<string>;
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
   * @param edge unique name of the process, because each process counts its settled tokens from zero.
   * @param leaseSeconds the number of seconds for which an edge's reservations are kept after its last sync
   */
  constructor(redis: Redis, edge: string, leaseSeconds = 30) {
    redis.defineCommand('syncTokenBudget', { numberOfKeys: 2, lua: syncBudget });
    redis.defineCommand('nameBudgetData', { numberOfKeys: 1, lua: nameData });
    this.#redis = redis as Redis & BudgetCommands;
    this.#edge = `edge:${edge}`;
    this.#leaseSeconds = leaseSeconds;
  }

  async sync({ memory, settled, logged, ...sync }: BudgetSync): Promise<BudgetState | null> {
    const reply = await this.#redis.syncTokenBudget(
      accountKey('budget', sync.accountId, sync.keyId),
      dataKey,
      `${this.#edge}:${memory.instance}`,
      this.#leaseSeconds,
      sync.dailyTokenBudget,
      sync.weeklyTokenBudget,
      sync.heldTokens,
      memory.generation,
      memory.confirmedTokens,
      ...listUsage(memory.spent),
      settled.day,
      settled.tokens,
      ...listUsage(logged),
      sync.isRestored ? 1 : 0,
      sync.ahead,
      ...sync.asked,
    );
    if (reply.length === 0) return null;
    const [admitted, heldTokens, roomTokens, day, today, thisWeek, generation, isRecovering] = reply;
    const spent = { day, today, thisWeek };
    return { admitted, heldTokens, roomTokens, spent, generation, isRecovering: isRecovering === 1 };
  }

  nameData(): Promise<string> {
    return this.#redis.nameBudgetData(dataKey);
  }
}

const listUsage = (spent: SpentTokens | null): number[] =>
  spent === null ? [0, 0, 0] : [spent.day, spent.today, spent.thisWeek];
