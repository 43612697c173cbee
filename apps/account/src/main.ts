import 'reflect-metadata';
import { accountShare, connectCacheRedis } from '@gateway/messaging';
import { runService } from '@gateway/messaging/run-service';
import { watchPool, type Logger } from '@gateway/observability';
import type { PoolUse } from '@gateway/persistence';
import type { Redis } from 'ioredis';
import { AccountModule } from './account.module.ts';
import { loadConfig } from './config.ts';
import { createAccountDatabase } from './persistence/account-database.ts';

const authenticationConnectionsMax = 5;

const config = loadConfig();
const database = createAccountDatabase({ url: config.ACCOUNT_DATABASE_URL });
/**
 * Key checks and login sessions use separate database connections, so that they never wait for management calls.
 */
const authenticationDatabase = createAccountDatabase({
  url: config.ACCOUNT_DATABASE_URL,
  connectionsMax: authenticationConnectionsMax,
});

/** The service can start and run without Redis, because it announces changes mainly by broadcast. */
function connectEpochRedis(logger: Logger): Redis {
  return connectCacheRedis(config.REDIS_CACHE_URL, {
    commandTimeoutMs: 1_000,
    onError: (error) => logger.debug({ err: error }, 'Redis error: change epochs are not written'),
  });
}

function addPools(one: PoolUse, other: PoolUse): PoolUse {
  return {
    open: one.open + other.open,
    idle: one.idle + other.idle,
    waiting: one.waiting + other.waiting,
  };
}

await runService({
  name: 'account',
  config,
  accountShare,
  ready: async () => ({ database: await database.isUp() }),
  createModule: async ({ messaging, logger, metrics }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'database unavailable, retrying'),
    });
    watchPool(metrics, () => addPools(database.poolUse(), authenticationDatabase.poolUse()));
    return AccountModule.forRoot({
      ...{ config, database, authenticationDatabase, messaging, logger, metrics },
      epochRedis: connectEpochRedis(logger),
    });
  },
});
