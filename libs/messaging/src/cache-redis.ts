import { Redis } from 'ioredis';

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
