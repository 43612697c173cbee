import 'reflect-metadata';
import { constants, setPriority } from 'node:os';
import { accountShare, isRedisUp, openQueueRedis } from '@gateway/messaging';
import { runService } from '@gateway/messaging/run-service';
import { watchPool } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { loadConfig } from './config.ts';
import { createTelemetryDatabase } from './persistence/telemetry-database.ts';
import { WorkerModule } from './worker.module.ts';

const config = loadConfig();
// On a shared machine, the worker has a lower priority than the gateways.
// Worker tasks can wait, but gateway requests cannot.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const database = createTelemetryDatabase({ url: config.TELEMETRY_DATABASE_URL });
let queueRedis: Redis | undefined;

await runService({
  name: 'worker',
  config,
  // A query may use up to three of the ten database connections at the same time.
  // The log writer needs some of the remaining database connections.
  accountShare: { ...accountShare, slots: 4, waitMsMax: 4_000 },
  ready: async () => ({
    database: await database.isUp(),
    queue: queueRedis !== undefined && (await isRedisUp(queueRedis)),
  }),
  createModule: async ({ messaging, logger, metrics }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'database unavailable, retrying'),
    });
    queueRedis = openQueueRedis(config.REDIS_URL, (error) =>
      logger.warn({ err: error }, 'queue Redis unavailable'),
    );
    watchPool(metrics, () => database.poolUse());
    return WorkerModule.forRoot({
      ...{ database, queueRedis, messaging, logger, metrics },
      contentKeys: config.CONTENT_KEYS,
    });
  },
});
