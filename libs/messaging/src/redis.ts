import { Command, Redis, type RedisOptions } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '@gateway/observability';
import { listHostUrls } from './service-config.ts';

/** Delays between attempts to find a reachable Sentinel, in milliseconds. */
const sentinelRetryMs = 500;
const sentinelPort = 26_379;

/**
 * Returns ioredis options for a Sentinel URL such as
 * `redis-sentinel://user:password@s1:26379,s2:26379/0?sentinelMasterId=queue`. User, password and database belong to the
 * Redis servers. The parameters `sentinelUsername` and `sentinelPassword` belong to the Sentinels. The client asks the
 * Sentinels for the primary server, and follows each failover that a Sentinel announces.
 */
function parseSentinelUrl(url: string): RedisOptions {
  const [first, ...others] = listHostUrls(url).map((each) => new URL(each));
  if (first === undefined) throw new Error('the Sentinel URL has no host');
  const named = (parameter: string): string | undefined => first.searchParams.get(parameter) ?? undefined;
  const [username, password] = [decodeURIComponent(first.username), decodeURIComponent(first.password)];
  const isEncrypted = first.protocol === 'rediss-sentinel:';
  const [sentinelUsername, sentinelPassword] = [named('sentinelUsername'), named('sentinelPassword')];
  return {
    sentinels: [first, ...others].map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? sentinelPort : Number(port),
    })),
    name: named('sentinelMasterId') ?? 'mymaster',
    role: 'master',
    db: Number(first.pathname.slice(1)),
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(isEncrypted ? { tls: {}, enableTLSForSentinelMode: true } : {}),
    failoverDetector: true,
    sentinelRetryStrategy: () => sentinelRetryMs,
    // A demoted server rejects writes until the client reconnects to the promoted server.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  };
}

/** Opens a client for the URL of a Redis server, or for the URL of the Sentinels that know the server. */
export function openRedis(
  url: string,
  options: RedisOptions,
  Client: new (...given: [RedisOptions] | [string, RedisOptions]) => Redis = Redis,
): Redis {
  const isSentinel = /^rediss?-sentinel:/.test(url);
  return isSentinel ? new Client({ ...parseSentinelUrl(url), ...options }) : new Client(url, options);
}

interface CacheRedisOptions {
  /** Time limit for a Redis command, in milliseconds. */
  readonly commandTimeoutMs: number;
  /** Time limit for a connection attempt, in milliseconds. By default, the client uses the time limit of ioredis. */
  readonly connectTimeoutMs?: number;
  readonly onError: (error: Error) => void;
  /** Commands to send separately, not in one batch with other commands. */
  readonly pipelineAllExcept?: readonly string[];
}

/** Milliseconds between two probes of a Redis server that does not respond. */
const probeMs = 250;

/**
 * A Redis client. Commands fail immediately while Redis is connected but does not respond. After a command
 * has timed out, the client sends only probes to Redis until Redis answers a probe. Without the probes, each
 * command would wait for the command timeout.
 */
class ProbingRedis extends Redis {
  #isSilent = false;

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    if (this.#isSilent && this.status === 'ready') {
      command.reject(new Error('Redis does not respond'));
      return command.promise;
    }
    const answer = super.sendCommand(command, stream);
    command.promise.catch((error: unknown) => {
      if (!this.#isSilent && isTimeout(error)) void this.#probe();
    });
    return answer;
  }

  async #probe(): Promise<void> {
    this.#isSilent = true;
    while (this.status === 'ready') {
      const probe = new Command('PING', [], { replyEncoding: 'utf8' });
      super.sendCommand(probe);
      const isAnswered = await probe.promise.then(
        () => true,
        () => false,
      );
      if (isAnswered) break;
      await delay(probeMs, undefined, { ref: false });
    }
    this.#isSilent = false;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

/**
 * Connects to the cache Redis server. While Redis is unavailable or slow, commands fail immediately instead
 * of waiting, and the client reconnects in the background.
 */
export function connectCacheRedis(url: string, options: CacheRedisOptions): Redis {
  const { commandTimeoutMs, connectTimeoutMs = 10_000, onError, pipelineAllExcept } = options;
  const pipelined = {
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: [...(pipelineAllExcept ?? [])],
  };
  const client = {
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (attempt: number) => Math.min(attempt * 100, 2_000),
    ...(pipelineAllExcept === undefined ? {} : pipelined),
  };
  const redis = openRedis(url, client, ProbingRedis);
  redis.on('error', onError);
  return redis;
}

/** Number of Redis keys that one SCAN call reads. A SCAN call takes about a millisecond. */
const scannedAtOnce = 1_000;

interface KeyScan {
  /** A SCAN pattern for Redis keys, which the Redis server evaluates. */
  readonly pattern: string;
  /** Chooses the Redis keys to delete among the matching keys. */
  readonly isWanted: (key: string) => boolean;
  /** The cursor that the previous call returned. The cursor `0` means the beginning of the key space. */
  readonly cursor: string;
  /** Maximum duration of the call, in milliseconds. */
  readonly workMs: number;
}

/**
 * Deletes the matching Redis keys. Returns the cursor for the next call, or null when the whole key space has
 * been read. A scan finds every Redis key that exists throughout the scan. A scan can miss Redis keys that
 * are written during the scan.
 */
export async function unlinkKeys(
  redis: Pick<Redis, 'scan' | 'unlink'>,
  { pattern, isWanted, cursor, workMs }: KeyScan,
): Promise<string | null> {
  const until = performance.now() + workMs;
  let at = cursor;
  do {
    const [next, found] = await redis.scan(at, 'MATCH', pattern, 'COUNT', scannedAtOnce);
    const keys = found.filter(isWanted);
    if (keys.length > 0) await redis.unlink(keys);
    at = next;
  } while (at !== '0' && performance.now() < until);
  return at === '0' ? null : at;
}

/** Thrown if the queue Redis server is reachable but would lose jobs when its memory is full. */
export class EvictingRedisError extends Error {}

/**
 * Connects to Redis for BullMQ. While Redis is unavailable, commands wait and the client reconnects
 * indefinitely.
 */
export function openQueueRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = openRedis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
  redis.on('error', onError);
  return redis;
}

/**
 * Waits for Redis. Throws `EvictingRedisError` if the eviction policy is not `noeviction`. With other
 * policies, Redis deletes BullMQ's jobs and keys when Redis runs out of memory.
 */
export async function checkNoEviction(redis: Redis): Promise<void> {
  const info = await redis.info('memory');
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy !== 'noeviction') {
    throw new EvictingRedisError(
      `the queue's Redis has maxmemory-policy "${policy ?? 'unknown'}", and must have "noeviction"`,
    );
  }
}

/** Sends a single ping to Redis with a one-second time limit. Never throws. */
export async function isRedisUp(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  const answer = redis.ping().then(
    () => true,
    () => false,
  );
  return withTimeout(answer, 1_000, false);
}
