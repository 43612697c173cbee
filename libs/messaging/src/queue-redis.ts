import { withTimeout } from '@gateway/observability';
import { Redis } from 'ioredis';

/** The queue's Redis answers, but would lose jobs when it is full. */
export class EvictingRedisError extends Error {}

/** A connection for BullMQ: commands wait while Redis is away, and it reconnects for ever. */
export function openQueueRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
  redis.on('error', onError);
  return redis;
}

/**
 * Waits for Redis, then throws `EvictingRedisError` unless its policy is `noeviction`: under any other one a full
 * Redis drops jobs, and BullMQ's own keys with them.
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

/** One round trip within a second. Never throws. */
export async function isRedisUp(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  const answer = redis.ping().then(
    () => true,
    () => false,
  );
  return withTimeout(answer, 1_000, false);
}
