import { createDatabase, type Database, type DatabaseOptions } from '@gateway/persistence';
import { PrismaClient } from '../../../../prisma/billing/generated/client.ts';

export type {
  LedgerMonth as LedgerMonthRow,
  StripeCustomer as StripeCustomerRow,
} from '../../../../prisma/billing/generated/client.ts';

export type BillingDatabase = Database<PrismaClient>;
export const BILLING_DATABASE = Symbol('BillingDatabase');

/** Opens the billing service's database. */
export function createBillingDatabase(
  options: Pick<DatabaseOptions<PrismaClient>, 'url' | 'connectionsMax' | 'onConnectionError'>,
): BillingDatabase {
  return createDatabase({
    ...options,
    applicationName: 'billing',
    // Longer error formats quote source code and arguments, which must not appear in logs.
    createClient: (adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' }),
  });
}
