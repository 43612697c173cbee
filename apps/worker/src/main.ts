import 'reflect-metadata';
import { constants, setPriority } from 'node:os';
import {
  batchesCommitted,
  getAccount,
  getPreferences,
  ledgerCommitted,
  routingPolicyChanged,
} from '@gateway/contracts';
import { isRedisUp, openQueueRedis, runService } from '@gateway/messaging';
import { watchPool } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { readMeanings } from './assess-tools/read-meanings.ts';
import { loadConfig } from './config.ts';
import { Partitions } from './persistence/partitions.ts';
import { createTelemetryDatabase } from './persistence/telemetry-database.ts';
import { WorkerModule } from './worker.module.ts';

const config = loadConfig();
// What the worker does can wait, a request can't: where both share a machine, the gateways go first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const database = createTelemetryDatabase({ url: config.TELEMETRY_DATABASE_URL });
let queueRedis: Redis | undefined;

await runService({
  name: 'worker',
  config,
  ready: async () => ({
    database: await database.isUp(),
    queue: queueRedis !== undefined && (await isRedisUp(queueRedis)),
  }),
  createModule: async ({ messaging, logger, metrics }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'the database is not there yet'),
    });
    queueRedis = openQueueRedis(config.REDIS_URL, (error) =>
      logger.warn({ err: error }, "the queue's Redis is away"),
    );
    watchPool(metrics, () => database.poolUse());
    return WorkerModule.with({
      database,
      partitions: new Partitions(database),
      queueRedis,
      reportCommitted: (batchIds) => messaging.broadcast(batchesCommitted, { batchIds }),
      onLedgerCommitted: (listener) =>
        messaging.onBroadcast(ledgerCommitted, ({ batchIds }) => listener(batchIds)),
      shadowAccounts: new Set(),
      readRecallTarget: async (accountId) =>
        (await messaging.call(getPreferences, { accountId })).preferences.pruning.recall_target,
      readKeeping: async (accountId) => {
        const { policy } = (await messaging.call(getAccount, { accountId })).account;
        return { retentionDays: policy.retention_days, hasContents: policy.content_logging };
      },
      contentKeys: config.CONTENT_KEYS,
      readMeanings: (tools) => readMeanings(messaging, tools),
      announce: (policy) => messaging.broadcast(routingPolicyChanged, { policy }),
      logger,
      metrics,
    });
  },
});
