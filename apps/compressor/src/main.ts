import 'reflect-metadata';
import { connectCacheRedis, runService } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { CompressorModule } from './compressor.module.ts';
import { loadConfig } from './config.ts';
import { RedisCountStore } from './count-tokens/redis-count-store.adapter.ts';
import { RedisOriginalStore } from './originals/redis-original-store.adapter.ts';

const config = loadConfig();

/** The service runs without Redis: if an original is not stored, it is rebuilt from its conversation. */
function connectRedis(logger: Logger): Redis {
  return connectCacheRedis(config.REDIS_CACHE_URL, {
    commandTimeoutMs: 500,
    onError: (error) => logger.debug({ err: error }, 'Redis error: originals are not stored'),
  });
}

await runService({
  name: 'compressor',
  config,
  createModule: ({ metrics, logger }) => {
    const redis = connectRedis(logger);
    return CompressorModule.forRoot({
      instanceId: config.INSTANCE_ID,
      metrics,
      logger,
      conversationBytesMax: config.CONVERSATION_BYTES_MAX,
      originals: new RedisOriginalStore(redis, config.ORIGINALS_KEY, logger),
      counts: new RedisCountStore(redis, logger),
      redis,
    });
  },
});
