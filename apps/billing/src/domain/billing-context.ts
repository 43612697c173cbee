import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import type { BillingDatabase } from '../persistence/billing-database.ts';
import type { Payments } from '../stripe/payments.port.ts';
import type { Plans } from './plans.ts';

/** What the use cases share. */
export interface BillingContext {
  readonly database: BillingDatabase;
  /** The queue's Redis. May be away, at the start too: all but the ledger goes on without it. */
  readonly queueRedis: Redis;
  readonly plans: Plans;
  /** Null without a Stripe key: self-hosted. */
  readonly payments: Payments | null;
  readonly now: () => Date;
  /** Tells the workers which batches of the ledger are in Postgres. */
  readonly reportCommitted: (batchIds: string[]) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Nest's name for the context. */
export const BILLING_CONTEXT = Symbol('BillingContext');
