import 'reflect-metadata';
import { isRedisUp, openQueueRedis } from '@gateway/messaging';
import { runService } from '@gateway/messaging/run-service';
import { watchPool } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { BillingModule } from './billing.module.ts';
import { loadConfig, type Config } from './config.ts';
import { createBillingDatabase } from './persistence/billing-database.ts';
import type { Payments } from './payments/payments.port.ts';
import { StripePayments } from './payments/stripe-payments.adapter.ts';

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
      onRetry: (attempt) => logger.warn({ attempt }, 'database unavailable, retrying'),
    });
    watchPool(metrics, () => database.poolUse());
    queueRedis = openQueueRedis(config.REDIS_URL, (error) =>
      logger.warn({ err: error }, 'queue Redis unavailable'),
    );
    const payments = openPayments(config);
    if (payments === null) logger.info('STRIPE_SECRET_KEY is not set: self-hosted, no charges');
    return BillingModule.forRoot({
      ...{ database, queueRedis, payments, messaging, logger, metrics },
      plans: config.BILLING_PLANS,
    });
  },
});
