import 'reflect-metadata';
import { AccountCache, connectCacheRedis } from '@gateway/messaging';
import { runService } from '@gateway/messaging/run-service';
import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { CompressorModule } from './compressor.module.ts';
import { loadConfig } from './config.ts';
import { RedisCountStore } from './count-tokens/redis-count-store.adapter.ts';
import { RedisOriginalStore } from './originals/redis-original-store.adapter.ts';

const config = loadConfig();

/**
 * Connects to the Redis server for caches. The compressor also runs without Redis, because it can rebuild an
 * original text from its conversation.
 */
function connectRedis(logger: Logger): Redis {
  return connectCacheRedis(config.REDIS_CACHE_URL, {
    commandTimeoutMs: 500,
    onError: (error) => logger.debug({ err: error }, 'Redis error: originals are not stored'),
  });
}

/**
 * Opens the cache with a quota for each account. A value that exceeds the account's quota is not stored.
 * Original texts that are not stored can be rebuilt. If exact token counts are not stored, replies omit them.
 */
function openCache(redis: Redis, metrics: Metrics): AccountCache {
  const refused = metrics.counter({
    name: 'compressor_cache_values_refused_total',
    help: 'Originals and token counts that were not stored because the share of their account in the cache was used up.',
  });
  return new AccountCache(redis, {
    purpose: 'originals',
    bytesPerDayMax: config.ORIGINALS_BYTES_PER_ACCOUNT_MAX,
    onRefused: (values) => refused.inc(values),
  });
}

await runService({
  name: 'compressor',
  config,
  createModule: ({ metrics, logger }) => {
    const redis = connectRedis(logger);
    const cache = openCache(redis, metrics);
    return CompressorModule.forRoot({
      instanceId: config.INSTANCE_ID,
      metrics,
      logger,
      conversationBytesMax: config.CONVERSATION_BYTES_MAX,
      originals: new RedisOriginalStore(cache, config.ORIGINALS_KEY, logger),
      counts: new RedisCountStore(cache, logger),
      redis,
    });
  },
});
