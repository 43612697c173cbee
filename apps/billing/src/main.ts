import 'reflect-metadata';
import { ledgerCommitted } from '@gateway/contracts';
import { isRedisUp, openQueueRedis, runService } from '@gateway/messaging';
import { watchPool } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { BillingModule } from './billing.module.ts';
import { loadConfig, type Config } from './config.ts';
import { createBillingDatabase } from './persistence/billing-database.ts';
import type { Payments } from './stripe/payments.port.ts';
import { StripePayments } from './stripe/stripe-payments.adapter.ts';

const config = loadConfig();
const database = createBillingDatabase({ url: config.BILLING_DATABASE_URL });
let queueRedis: Redis | undefined;

function openPayments({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL }: Config): Payments | null {
  if (STRIPE_SECRET_KEY === undefined) return null;
  return new StripePayments({
    secretKey: STRIPE_SECRET_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET ?? '',
    apiUrl: STRIPE_API_URL,
  });
}

await runService({
  name: 'billing',
  config,
  ready: async () => ({
    database: await database.isUp(),
    queue: queueRedis !== undefined && (await isRedisUp(queueRedis)),
  }),
  createModule: async ({ messaging, logger, metrics }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'the database is not there yet'),
    });
    watchPool(metrics, () => database.poolUse());
    queueRedis = openQueueRedis(config.REDIS_URL, (error) =>
      logger.warn({ err: error }, "the queue's Redis is away"),
    );
    const payments = openPayments(config);
    if (payments === null) logger.info('there is no STRIPE_SECRET_KEY: self-hosted, nobody is charged');
    return BillingModule.with({
      database,
      queueRedis,
      plans: config.BILLING_PLANS,
      payments,
      now: () => new Date(),
      reportCommitted: (batchIds) => messaging.broadcast(ledgerCommitted, { batchIds }),
      logger,
      metrics,
    });
  },
});
