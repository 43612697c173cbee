import {
  accountChanged,
  batchesCommitted,
  getAccount,
  getPreferences,
  ledgerCommitted,
  routingPolicyChanged,
} from '@gateway/contracts';
import type { ServiceParts } from '@gateway/messaging/run-service';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import type { Redis } from 'ioredis';
import { READ_MEANINGS, readMeanings, type ReadMeanings } from './assess-tools/meanings.ts';
import { ContentsController } from './contents/contents.controller.ts';
import { CONTENT_KEYS, type ContentKeys } from './contents/request-contents.ts';
import { ForgetAccountController } from './forget-account/forget-account.controller.ts';
import type { PolicyGoals } from './jobs/calibrate/policy-bucket.ts';
import { CalibrateJob } from './jobs/calibrate/calibrate.job.ts';
import { ExpireJob } from './jobs/expire/expire.job.ts';
import { PartitionUpkeepJob } from './jobs/partition-upkeep.job.ts';
import { ShipLedgerJob } from './jobs/ship-ledger.job.ts';
import { BullmqDeadLetters } from './jobs/write-request-log/bullmq-dead-letters.adapter.ts';
import { WriteRequestLogProcessor } from './jobs/write-request-log/write-request-log.processor.ts';
import { Partitions } from './persistence/partitions.ts';
import { TELEMETRY_DATABASE, type TelemetryDatabase } from './persistence/telemetry-database.ts';
import { RequestsController } from './queries/requests/requests.controller.ts';
import { RoutingController } from './queries/routing/routing.controller.ts';
import { UsageController } from './queries/usage/usage.controller.ts';

export interface WorkerParts extends Pick<ServiceParts, 'messaging' | 'logger' | 'metrics'> {
  readonly database: TelemetryDatabase;
  /**
   * The connection to the queue's Redis server. The Redis server may be unavailable, even on startup, because
   * queries work without Redis.
   */
  readonly queueRedis: Redis;
  readonly contentKeys: ContentKeys;
}

const QUEUE_REDIS = Symbol('QueueRedis');

@Module({})
export class WorkerModule implements OnApplicationShutdown {
  readonly #database: TelemetryDatabase;
  readonly #queueRedis: Redis;

  constructor(
    @Inject(TELEMETRY_DATABASE) database: TelemetryDatabase,
    @Inject(QUEUE_REDIS) queueRedis: Redis,
  ) {
    this.#database = database;
    this.#queueRedis = queueRedis;
  }

  static forRoot(parts: WorkerParts): DynamicModule {
    const { database, queueRedis, contentKeys, messaging } = parts;
    const meanings: ReadMeanings = (tools) => readMeanings(messaging, tools);
    return {
      module: WorkerModule,
      controllers: [
        RequestsController,
        UsageController,
        RoutingController,
        ContentsController,
        ForgetAccountController,
      ],
      providers: [
        { provide: TELEMETRY_DATABASE, useValue: database },
        { provide: QUEUE_REDIS, useValue: queueRedis },
        { provide: CONTENT_KEYS, useValue: contentKeys },
        { provide: READ_MEANINGS, useValue: meanings },
        { provide: BullmqDeadLetters, useFactory: () => new BullmqDeadLetters(queueRedis) },
        { provide: Partitions, useFactory: () => new Partitions(database) },
        ...provideLogJobs(parts),
        ...provideAccountJobs(parts),
      ],
    };
  }

  /**
   * Closes the database and Redis connections after the jobs have stopped, because the jobs use these
   * connections.
   */
  async onApplicationShutdown(): Promise<void> {
    this.#queueRedis.disconnect();
    await this.#database.close();
  }
}

/** The jobs that write the request log and calibrate routing policies from it. */
function provideLogJobs({ database, queueRedis, messaging, logger, metrics }: WorkerParts): Provider[] {
  const shadowAccounts = new Set<string>();
  // A change of the recall target or the recovery setting requires a new routing policy.
  messaging.onBroadcast(accountChanged, ({ accountId, deleted }) => {
    if (!deleted) shadowAccounts.add(accountId);
  });
  return [
    {
      provide: WriteRequestLogProcessor,
      useFactory: (partitions: Partitions, deadLetters: BullmqDeadLetters) =>
        new WriteRequestLogProcessor({
          ...{ database, partitions, queueRedis, deadLetters, shadowAccounts, logger, metrics },
          reportCommitted: (report) => messaging.broadcast(batchesCommitted, report),
        }),
      inject: [Partitions, BullmqDeadLetters],
    },
    {
      provide: ShipLedgerJob,
      useFactory: () =>
        new ShipLedgerJob({
          ...{ database, queueRedis, logger },
          onLedgerCommitted: (listener) =>
            messaging.onBroadcast(ledgerCommitted, ({ batchIds }) => listener(batchIds)),
        }),
    },
    {
      provide: CalibrateJob,
      useFactory: () =>
        new CalibrateJob({
          ...{ database, shadowAccounts, logger, metrics },
          readGoals: (accountId) => readGoals(messaging, accountId),
          announce: (policy) => messaging.broadcast(routingPolicyChanged, { policy }),
        }),
    },
  ];
}

async function readGoals(messaging: WorkerParts['messaging'], accountId: string): Promise<PolicyGoals> {
  const { pruning } = (await messaging.call(getPreferences, { accountId })).preferences;
  const { recall_target: recallTarget, recovery: hasRecovery, learning: learns } = pruning;
  return { recallTarget, hasRecovery, learns };
}

/** The jobs that create partitions in advance and delete expired rows. */
function provideAccountJobs({ database, messaging, logger }: WorkerParts): Provider[] {
  return [
    {
      provide: PartitionUpkeepJob,
      useFactory: (partitions: Partitions) => new PartitionUpkeepJob({ partitions, logger }),
      inject: [Partitions],
    },
    {
      provide: ExpireJob,
      useFactory: (partitions: Partitions) =>
        new ExpireJob({
          ...{ database, partitions, logger },
          readKeeping: async (accountId) => {
            const { policy } = (await messaging.call(getAccount, { accountId })).account;
            return { retentionDays: policy.retention_days, hasContents: policy.content_logging };
          },
        }),
      inject: [Partitions],
    },
  ];
}
