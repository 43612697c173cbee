import 'reflect-metadata';
import { runService } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import { Redis } from 'ioredis';
import { CompressorModule } from './compressor.module.ts';
import { loadConfig } from './config.ts';
import { RedisCountStore } from './count-tokens/redis-count-store.adapter.ts';
import { RedisOriginalStore } from './originals/redis-original-store.adapter.ts';

const config = loadConfig();

/** Away, it holds nothing up: an original that is not kept is made again from its conversation. */
function connectRedis(logger: Logger): Redis {
  const redis = new Redis(config.REDIS_CACHE_URL, {
    enableOfflineQueue: false,
    commandTimeout: 500,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  redis.on('error', (error) => logger.debug({ err: error }, 'originals are not kept'));
  return redis;
}

await runService({
  name: 'compressor',
  config,
  createModule: ({ metrics, logger: log }) => {
    const redis = connectRedis(log);
    return CompressorModule.create({
      instanceId: config.INSTANCE_ID,
      metrics,
      log,
      conversationBytesMax: config.CONVERSATION_BYTES_MAX,
      originals: new RedisOriginalStore(redis, config.ORIGINALS_KEY, log),
      counts: new RedisCountStore(redis, log),
    });
  },
});
