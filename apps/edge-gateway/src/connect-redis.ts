import type { Logger } from '@gateway/observability';
import { Redis } from 'ioredis';
import { admitCommand } from './rate-limits/redis-rate-limiter.adapter.ts';

/** How long limits and budgets wait for Redis before a process decides by itself. */
export const redisCommandMs = 250;

/** A command that Redis does not answer soon fails: the request path never waits for a reconnection. */
export function connectRedis(url: string, log: Logger, commandTimeoutMs: number = redisCommandMs): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: [admitCommand],
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  redis.on('error', (error) => log.debug({ err: error }, 'redis'));
  return redis;
}
