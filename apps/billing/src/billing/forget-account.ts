import { GatewayError } from '@gateway/errors';
import { newId } from '@gateway/persistence';
import { findCustomer, type BillingContext } from './customer.ts';
import type { BillingDatabase } from '../persistence/billing-database.ts';

/** Rows renamed by one statement: a fraction of a second, which other writers do not feel. */
const rowsAtOnce = 5_000;
/** How long one call goes on, well within the contract's deadline. */
const workMs = 5_000;
/** How long the tombstone waits for the writers that are at work, before it is tried again. */
const lockTimeoutMs = 2_000;

const rename = `
  UPDATE ledger_entries SET account_id = $2::uuid, key_id = NULL
  WHERE request_id IN (SELECT request_id FROM ledger_entries WHERE account_id = $1::uuid LIMIT ${rowsAtOnce})`;

/**
 * Forgets who an account was: first a tombstone, which every later write of its entries heeds, then its customer at Stripe,
 * then its name in the ledger. What was saved stays, under a pseudonym that is kept nowhere else. Says whether nothing is
 * left. May be asked any number of times, and by two at once.
 */
export async function forgetAccount(
  context: Pick<BillingContext, 'database' | 'payments' | 'now'>,
  { accountId }: { accountId: string },
): Promise<{ isDone: boolean }> {
  const { database, now } = context;
  const until = now().getTime() + workMs;
  await writeTombstone(database, accountId);
  await forgetCustomer(context, accountId);
  const pseudonym = newId();
  let renamed = rowsAtOnce;
  while (renamed === rowsAtOnce) {
    if (now().getTime() >= until) return { isDone: false };
    renamed = await database.acrossAccounts.$executeRawUnsafe(rename, accountId, pseudonym);
  }
  return { isDone: true };
}

/** Nobody may go on paying for what is gone: without an answer of Stripe the deletion waits. */
async function forgetCustomer(
  context: Pick<BillingContext, 'database' | 'payments' | 'now'>,
  accountId: string,
): Promise<void> {
  const customerId = await findCustomer(context, accountId);
  if (customerId === null) return;
  if (context.payments === null) {
    throw new GatewayError('service_unavailable', { detail: 'a customer of Stripe, and no key for it' });
  }
  await context.payments.deleteCustomer(customerId);
  await context.database.forAccount(accountId).stripeCustomer.deleteMany({});
}

/**
 * The lock lets writers end that began without seeing the tombstone, so that none of their entries comes after the renaming.
 * A statement takes its snapshot after its locks: whoever waits for this one sees the tombstone.
 */
async function writeTombstone(database: BillingDatabase, accountId: string): Promise<void> {
  const client = database.acrossAccounts;
  if ((await client.forgottenAccount.count({ where: { accountId } })) > 0) return;
  try {
    await client.$transaction([
      client.$executeRawUnsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs}`),
      client.$executeRawUnsafe('LOCK TABLE ledger_entries, stripe_customers IN SHARE ROW EXCLUSIVE MODE'),
      client.$executeRawUnsafe(
        'INSERT INTO forgotten_accounts (account_id) VALUES ($1::uuid) ON CONFLICT DO NOTHING',
        accountId,
      ),
    ]);
  } catch (error) {
    throw new GatewayError('service_unavailable', { detail: 'the tombstone was not written', cause: error });
  }
}
