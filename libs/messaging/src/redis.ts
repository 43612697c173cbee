import { Redis } from 'ioredis';
import { withTimeout } from '@gateway/observability';

interface CacheRedisOptions {
  /** Time limit for a command, in milliseconds. */
  readonly commandTimeoutMs: number;
  /** Time limit for a connection attempt, in milliseconds. The default is the default of ioredis. */
  readonly connectTimeoutMs?: number;
  readonly onError: (error: Error) => void;
  /** Commands sent in the same event loop turn share a pipeline, except the commands listed here. */
  readonly pipelineAllExcept?: readonly string[];
}

/**
 * Connects to the cache's Redis. While Redis is unavailable or slow, commands fail immediately instead of
 * waiting, and the client reconnects in the background.
 */
export function connectCacheRedis(url: string, options: CacheRedisOptions): Redis {
  const { commandTimeoutMs, connectTimeoutMs = 10_000, onError, pipelineAllExcept } = options;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    ...(pipelineAllExcept === undefined
      ? {}
      : { enableAutoPipelining: true, autoPipeliningIgnoredCommands: [...pipelineAllExcept] }),
  });
  redis.on('error', onError);
  return redis;
}

/** Number of keys that one SCAN call reads. A call takes about a millisecond. */
const scannedAtOnce = 1_000;

interface KeyScan {
  /** A SCAN pattern, which the server evaluates. */
  readonly pattern: string;
  /** Chooses the matching keys to delete. */
  readonly isWanted: (key: string) => boolean;
  /** The cursor of the previous call. `0` starts at the beginning. */
  readonly cursor: string;
  /** Maximum time for which the call may work, in milliseconds. */
  readonly workMs: number;
}

/**
 * Deletes the matching keys. Returns the cursor for the next call, or null after the whole key space was
 * read. Keys that exist during the whole scan are never missed. Keys that are written later can be missed.
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

/** The error for a reachable queue Redis that would lose jobs when its memory is full. */
export class EvictingRedisError extends Error {}

/**
 * Connects to Redis for BullMQ. While Redis is unavailable, commands wait and the client reconnects
 * indefinitely.
 */
export function openQueueRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
  redis.on('error', onError);
  return redis;
}

/**
 * Waits for Redis, then throws `EvictingRedisError` unless the eviction policy is `noeviction`. With any
 * other policy, Redis deletes BullMQ's jobs and keys when Redis's memory is full.
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

/** Sends a single ping with a one-second time limit. Never throws. */
export async function isRedisUp(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  const answer = redis.ping().then(
    () => true,
    () => false,
  );
  return withTimeout(answer, 1_000, false);
}
