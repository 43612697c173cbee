/**
 * Counts the requests of an API key in a sliding window of 60 s, divided into steps of half a second. Each key has
 * one hash in Redis, with a field for each step that has requests and a field for their running total. The hash has
 * at most 125 fields, a size that Redis stores compactly. A step expires once the whole step is 60 s old, so no
 * period of 60 s admits more requests than the limit. A steady flow of requests stays at most 0.8% below the limit.
 * Each call removes the expired steps, so a call after a long pause takes more time. The script uses the clock of
 * the Redis server, so that gateway processes with skewed clocks count in the same window.
 *
 * A gateway may request a lease, which contains tokens for requests that have not arrived yet. The tokens of a
 * lease are counted in the time step in which the lease expires. A request that uses a leased token counts for at
 * least 60 s. A lease receives at most 1/64 of the free tokens. If fewer than 1,024 tokens are free, no lease is
 * granted. Without a lease, every request is counted when it arrives. If a gateway returns unused tokens, the
 * script subtracts the tokens from the time step of their lease.
 *
 * If Redis loses its data, each gateway sends the count that it last received. The field `base` contains the
 * largest count that any gateway has sent. The running total includes `base` and the requests that were admitted
 * after Redis lost its data.
 *
 * The Redis hashes are small and expire, so the script may write while Redis is out of memory (Redis manual,
 * "Script flags"). Rate limits are exact even while Redis is out of memory.
 *
 * KEYS[1] is the hash of the window. KEYS[2] and KEYS[3] are the epochs of the latest changes to the API key
 * and its account. `WindowCommands.admitRequests` lists the remaining arguments. The script returns a
 * `WindowReply`. If an epoch is negative, the reply contains the epoch -1 and no lease.
 */
export const windowScript = `#!lua flags=allow-oom
local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now = math.floor(nowMs / 500)
local first = now - 120
local limit, asked, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local returned, returnedTo = tonumber(ARGV[5]), ARGV[6]
local knownId, knownTotal, unreported = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local state = redis.call('HMGET', KEYS[1], 'total', 'oldest', 'id', 'base')
local id = tonumber(state[3]) or nowMs
local total = tonumber(state[1]) or 0
local oldest = tonumber(state[2]) or now
local base = tonumber(state[4]) or 0
if returned > 0 then
  local counted = tonumber(redis.call('HGET', KEYS[1], returnedTo)) or 0
  returned = math.min(returned, counted)
  if returned > 0 then
    redis.call('HINCRBY', KEYS[1], returnedTo, -returned)
    total = total - returned
  end
end
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
local missing = id ~= knownId and math.max(knownTotal - base, 0) or 0
unreported = unreported + missing
if unreported > 0 then
  total = total + unreported
  redis.call('HINCRBY', KEYS[1], tostring(now), unreported)
end
local epochs = redis.call('MGET', KEYS[2], KEYS[3])
local keyEpoch = tonumber(epochs[1]) or 0
local accountEpoch = tonumber(epochs[2]) or 0
local epoch = math.max(keyEpoch, accountEpoch)
if keyEpoch < 0 or accountEpoch < 0 then epoch = -1 end
local admitted = math.min(asked, math.max(limit - total, 0))
if admitted > 0 then
  total = total + admitted
  redis.call('HINCRBY', KEYS[1], tostring(now), admitted)
end
local newest, leased, leaseStep = now, 0, math.floor((nowMs + tonumber(ARGV[4])) / 500)
if wanted > 0 and epoch >= 0 and limit - total >= 1024 then
  leased = math.min(wanted, math.floor((limit - total) / 64))
  total = total + leased
  redis.call('HINCRBY', KEYS[1], tostring(leaseStep), leased)
  newest = leaseStep
end
local leaves = now
if admitted < asked then
  while oldest < now and redis.call('HEXISTS', KEYS[1], tostring(oldest)) == 0 do oldest = oldest + 1 end
  leaves = oldest
end
local emptyMs = (newest + 121) * 500 - nowMs
local roomMs = (leaves + 121) * 500 - nowMs
redis.call('HSET', KEYS[1], 'total', total, 'oldest', oldest, 'id', string.format('%.0f', id))
if missing > 0 then redis.call('HSET', KEYS[1], 'base', base + missing) end
redis.call('EXPIRE', KEYS[1], 61)
return {admitted, total, math.max(emptyMs, 1), math.max(roomMs, 1), epoch, leased, leaseStep, id}
`;

/** The reply of `windowScript`. */
export type WindowReply = readonly [
  /** Number of admitted requests. */
  admitted: number,
  /** Number of requests in the window, including admitted requests and leased tokens. */
  count: number,
  /** Milliseconds until the window is empty. */
  emptyMs: number,
  /** Milliseconds until the window has room for the rejected requests. */
  roomMs: number,
  /** The higher of two numbers, which are the API key's epoch and the account's epoch. */
  epoch: number,
  /** Number of tokens in the lease. */
  leased: number,
  /** The time step in which the lease is counted. */
  leaseStep: number,
  /** Id of the rate limit window, which changes when Redis loses its data. */
  id: number,
];

export interface WindowCommands {
  admitRequests(
    window: string,
    keyEpoch: string,
    accountEpoch: string,
    limit: number,
    /** Number of requests to count. */
    asked: number,
    /** Number of tokens requested for a lease. */
    wanted: number,
    leaseMs: number,
    /** Number of unused tokens that the process returns. */
    returned: number,
    /** The time step to which the unused tokens are returned. */
    returnedTo: number,
    /** Id of the last known rate limit window. */
    knownId: number,
    /** Number of requests in the last known window. */
    knownTotal: number,
    /** Number of requests that were admitted while Redis was unavailable. */
    unreported: number,
  ): Promise<WindowReply>;
}

/**
 * Name of the Redis command that rate limiters define on a connection. Rate limiters batch requests
 * themselves, so the Redis client must not pipeline the command.
 */
export const admitCommand = 'admitRequests' satisfies keyof WindowCommands;
