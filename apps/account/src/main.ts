import 'reflect-metadata';
import { sessionChanged } from '@gateway/contracts';
import { connectCacheRedis, runService } from '@gateway/messaging';
import { watchPool, type Logger } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { AccountModule } from './account.module.ts';
import { ChangeAnnouncer } from './announce/change-announcer.ts';
import { RedisEpochBoard } from './announce/redis-epoch-board.adapter.ts';
import { LastUsedRecorder } from './authenticate-key/last-used-recorder.ts';
import { writeLastUsedTo } from './authenticate-key/write-last-used.ts';
import { loadConfig } from './config.ts';
import { DeletionRunner } from './delete-account/deletion-runner.ts';
import { deletionSteps } from './delete-account/deletion-steps.ts';
import type { AccountChange } from './domain/account-context.ts';
import { ExpiredRecordUpkeep } from './idempotency/expired-record-upkeep.ts';
import { buildIdentity } from './identity/build-identity.ts';
import type { SessionChange } from './identity/identity.ts';
import { createAccountDatabase } from './persistence/account-database.ts';

const config = loadConfig();
const database = createAccountDatabase({ url: config.ACCOUNT_DATABASE_URL });

/** The service starts and runs without Redis: broadcasts announce changes first. */
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
      onRetry: (attempt) => logger.warn({ attempt }, 'the database is not there yet'),
    });
    watchPool(metrics, () => database.poolUse());
    const lookups = metrics.counter({
      name: 'account_key_lookups_total',
      help: 'Look-ups of API keys that gateways did not have in their caches.',
      labels: ['outcome'],
    });
    const epochRedis = connectEpochRedis(logger);
    const announcer = new ChangeAnnouncer(messaging, new RedisEpochBoard(epochRedis));
    const announceSessionChange = (change: SessionChange) => messaging.broadcast(sessionChanged, change);
    const announceAccountChange = (change: AccountChange) => announcer.announceAccountChange(change);
    return AccountModule.with({
      database,
      identity: buildIdentity({ config, database, metrics, announceSessionChange }),
      announceSessionChange,
      pepper: config.KEY_PEPPER,
      lastUsed: new LastUsedRecorder(writeLastUsedTo(database), (error) =>
        logger.warn({ err: error }, 'the last use of some keys was not recorded'),
      ),
      expiredRecords: new ExpiredRecordUpkeep(database, (error) =>
        logger.warn({ err: error }, 'expired answers of idempotent calls were not deleted'),
      ),
      countLookup: (outcome) => lookups.inc({ outcome }),
      announceKeyChange: (change) => announcer.announceKeyChange(change),
      announceAccountChange,
      deletions: new DeletionRunner(database, deletionSteps(messaging, announceAccountChange), logger),
    });
  },
});
