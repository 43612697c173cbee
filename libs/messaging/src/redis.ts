import { Redis } from 'ioredis';
import { withTimeout } from '@gateway/observability';

export interface CacheRedisOptions {
  /** A command that takes longer fails. */
  readonly commandTimeoutMs: number;
  readonly onError: (error: Error) => void;
  /** Commands sent in one turn of the event loop share a pipeline, except the commands listed here. */
  readonly pipelineAllExcept?: readonly string[];
}

/**
 * Connects to the cache's Redis. While Redis is unavailable or slow, commands fail at once instead of waiting, and
 * the connection is retried in the background.
 */
export function connectCacheRedis(url: string, options: CacheRedisOptions): Redis {
  const { commandTimeoutMs, onError, pipelineAllExcept } = options;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    ...(pipelineAllExcept === undefined
      ? {}
      : { enableAutoPipelining: true, autoPipeliningIgnoredCommands: [...pipelineAllExcept] }),
  });
  redis.on('error', onError);
  return redis;
}

/** The queue's Redis is reachable, but would lose jobs when its memory is full. */
export class EvictingRedisError extends Error {}

/**
 * Connects to Redis for BullMQ. Commands wait while Redis is unavailable, and the connection is retried
 * without limit.
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
 * Waits for Redis, then throws `EvictingRedisError` unless its policy is `noeviction`. With any other policy,
 * a full Redis deletes jobs and keys of BullMQ.
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

/** Sends one ping with a time limit of one second. Never throws. */
export async function isRedisUp(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  const answer = redis.ping().then(
    () => true,
    () => false,
  );
  return withTimeout(answer, 1_000, false);
}
