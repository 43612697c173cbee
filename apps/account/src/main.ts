import 'reflect-metadata';
import { connectCacheRedis, runService } from '@gateway/messaging';
import { watchPool, type Logger } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { AccountModule } from './account.module.ts';
import { loadConfig } from './config.ts';
import { createAccountDatabase } from './persistence/account-database.ts';

const config = loadConfig();
const database = createAccountDatabase({ url: config.ACCOUNT_DATABASE_URL });

/** The service can start and run without Redis, because changes are announced mainly by broadcast. */
function connectEpochRedis(logger: Logger): Redis {
  return connectCacheRedis(config.REDIS_CACHE_URL, {
    commandTimeoutMs: 1_000,
    onError: (error) => logger.debug({ err: error }, 'Redis error: change epochs are not written'),
  });
}

await runService({
  name: 'account',
  config,
  ready: async () => ({ database: await database.isUp() }),
  createModule: async ({ messaging, logger, metrics }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'database unavailable, retrying'),
    });
    watchPool(metrics, () => database.poolUse());
    return AccountModule.forRoot({
      ...{ config, database, messaging, logger, metrics },
      epochRedis: connectEpochRedis(logger),
    });
  },
});
