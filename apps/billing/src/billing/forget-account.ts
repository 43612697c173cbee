import { GatewayError } from '@gateway/errors';
import { newId } from '@gateway/persistence';
import { findCustomer, type BillingContext } from './customer.ts';
import type { BillingDatabase } from '../persistence/billing-database.ts';

/**
 * Maximum number of ledger rows that one SQL statement changes. Each statement takes a fraction of a second, so
 * that other writers do not wait long.
 */
const rowsAtOnce = 5_000;
/** Time limit for one call in milliseconds, well below the deadline of the RPC contract. */
const workMs = 5_000;
/**
 * How long the write of the deletion mark waits for active writers, in milliseconds. If a writer stays active for
 * longer, the call fails and is retried.
 */
const lockTimeoutMs = 2_000;

const rename = `
  UPDATE ledger_entries SET account_id = $2::uuid, key_id = NULL
  WHERE request_id IN (SELECT request_id FROM ledger_entries WHERE account_id = $1::uuid LIMIT ${rowsAtOnce})`;

/**
 * Anonymizes a deleted account. Stores a deletion mark, so that all later ledger writes use a pseudonym. Deletes the
 * customer at Stripe, and renames the account in the ledger. The savings stay in the ledger under a pseudonym that is
 * stored nowhere else. Returns whether the anonymization is complete. Repeated and concurrent calls are safe.
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

/**
 * Deletes the account's customer at Stripe. A deleted account must not be charged, so the function waits for
 * Stripe to confirm the deletion.
 */
async function forgetCustomer(
  context: Pick<BillingContext, 'database' | 'payments' | 'now'>,
  accountId: string,
): Promise<void> {
  const customerId = await findCustomer(context, accountId);
  if (customerId === null) return;
  if (context.payments === null) {
    throw new GatewayError('service_unavailable', {
      detail: 'the account has a Stripe customer, but STRIPE_SECRET_KEY is not set',
    });
  }
  await context.payments.deleteCustomer(customerId);
  await context.database.forAccount(accountId).stripeCustomer.deleteMany({});
}

/**
 * Stores the deletion mark of an account under a table lock, so that no writer adds entries for the account
 * after its renaming. The lock is granted after all active writers have finished. A writer that waits for the
 * lock reads the deletion mark, because an SQL statement takes its snapshot after it acquires its locks.
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
    throw new GatewayError('service_unavailable', {
      detail: 'writing the deletion mark failed',
      cause: error,
    });
  }
}
