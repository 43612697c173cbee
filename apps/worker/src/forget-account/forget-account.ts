import { GatewayError } from '@gateway/errors';
import type { DeadLetters } from '../jobs/write-request-log/dead-letters.port.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

/** Rows deleted by one statement: a fraction of a second, which other writers do not feel. */
const rowsAtOnce = 5_000;
/** How long one call goes on deleting, well within the contract's deadline. */
const workMs = 5_000;
/** How long the tombstone waits for the writers that are at work, before it is tried again. */
const lockTimeoutMs = 2_000;

/** What is forgotten of an account. A table that comes to hold its rows gets its line here. */
const deleteSome = `
  DELETE FROM request_log WHERE (id, created_at) IN (
    SELECT id, created_at FROM request_log WHERE account_id = $1::uuid LIMIT ${rowsAtOnce}
  )`;

export interface ForgetContext {
  readonly database: TelemetryDatabase;
  readonly deadLetters: Pick<DeadLetters, 'removeOf'>;
  readonly now?: () => number;
}

/**
 * Forgets an account's requests: first a tombstone, which every later write of its events heeds, then the rows. Says
 * whether none is left. May be asked any number of times, and by two at once.
 */
export async function forgetAccount(
  { database, deadLetters, now = Date.now }: ForgetContext,
  { accountId }: { accountId: string },
): Promise<{ isDone: boolean }> {
  const until = now() + workMs;
  await writeTombstone(database, accountId);
  await deadLetters.removeOf(accountId);
  while (now() < until) {
    const deleted = await database.acrossAccounts.$executeRawUnsafe(deleteSome, accountId);
    if (deleted < rowsAtOnce) return { isDone: true };
  }
  return { isDone: false };
}

/**
 * The lock lets writers end that began without seeing the tombstone, so that none of their rows comes after the deletion.
 * A statement takes its snapshot after its locks: whoever waits for this one sees the tombstone.
 */
async function writeTombstone(database: TelemetryDatabase, accountId: string): Promise<void> {
  const client = database.acrossAccounts;
  if ((await client.forgottenAccount.count({ where: { accountId } })) > 0) return;
  try {
    await client.$transaction([
      client.$executeRawUnsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs}`),
      client.$executeRawUnsafe('LOCK TABLE request_log IN SHARE ROW EXCLUSIVE MODE'),
      client.$executeRawUnsafe(
        'INSERT INTO forgotten_accounts (account_id) VALUES ($1::uuid) ON CONFLICT DO NOTHING',
        accountId,
      ),
    ]);
  } catch (error) {
    throw new GatewayError('service_unavailable', { detail: 'the tombstone was not written', cause: error });
  }
}
