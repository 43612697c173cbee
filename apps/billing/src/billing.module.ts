import { ledgerCommitted } from '@gateway/contracts';
import type { ServiceParts } from '@gateway/messaging/run-service';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { BillingController } from './billing/billing.controller.ts';
import { WriteLedgerProcessor } from './ledger/write-ledger.processor.ts';
import { PAYMENTS, type Payments } from './payments/payments.port.ts';
import { BILLING_DATABASE, type BillingDatabase } from './persistence/billing-database.ts';
import { PLANS, type Plans } from './plans/plans.ts';

export interface BillingParts extends Pick<ServiceParts, 'messaging' | 'logger' | 'metrics'> {
  readonly database: BillingDatabase;
  /**
   * The Redis server of the job queue. Only the ledger requires Redis, so Redis may be unavailable, even on
   * startup.
   */
  readonly queueRedis: Redis;
  readonly plans: Plans;
  /** The payment provider. Null on self-hosted installations, which have no Stripe key. */
  readonly payments: Payments | null;
}

const QUEUE_REDIS = Symbol('QueueRedis');

@Module({})
export class BillingModule implements OnApplicationShutdown {
  readonly #database: BillingDatabase;
  readonly #queueRedis: Redis;

  constructor(@Inject(BILLING_DATABASE) database: BillingDatabase, @Inject(QUEUE_REDIS) queueRedis: Redis) {
    this.#database = database;
    this.#queueRedis = queueRedis;
  }

  static forRoot(parts: BillingParts): DynamicModule {
    const { database, queueRedis, messaging, logger, metrics } = parts;
    const reportCommitted = (batchIds: string[]) => messaging.broadcast(ledgerCommitted, { batchIds });
    return {
      module: BillingModule,
      controllers: [BillingController],
      providers: [
        { provide: BILLING_DATABASE, useValue: database },
        { provide: QUEUE_REDIS, useValue: queueRedis },
        { provide: PLANS, useValue: parts.plans },
        { provide: PAYMENTS, useValue: parts.payments },
        {
          provide: WriteLedgerProcessor,
          useFactory: () =>
            new WriteLedgerProcessor({ database, queueRedis, reportCommitted, logger, metrics }),
        },
      ],
    };
  }

  /**
   * The connections close after the ledger processor has stopped, because the processor needs them until then.
   */
  async onApplicationShutdown(): Promise<void> {
    this.#queueRedis.disconnect();
    await this.#database.close();
  }
}
