import { GatewayError } from '@gateway/errors';
import type { DeadLetters } from '../jobs/write-request-log/dead-letters.port.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

/** Rows deleted by one statement: a fraction of a second, which other writers do not feel. */
const rowsAtOnce = 5_000;
/** How long one call goes on deleting, well within the contract's deadline. */
const workMs = 5_000;
/** How long the tombstone waits for the writers that are at work, before it is tried again. */
const lockTimeoutMs = 2_000;

/**
 * Every table that says whose its rows are, each partition by itself: one that comes later is forgotten too, without a
 * line here.
 */
const findTables = `
  SELECT class.oid::regclass::text AS name
  FROM pg_class AS class JOIN pg_attribute AS field ON field.attrelid = class.oid
  WHERE class.relnamespace = 'public'::regnamespace AND class.relkind = 'r'
    AND field.attname = 'account_id' AND NOT field.attisdropped AND class.relname <> 'forgotten_accounts'
  ORDER BY class.oid`;

/** @param table quoted, as `findTables` gives it. */
const renderDelete = (table: string) =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE account_id = $1::uuid LIMIT ${rowsAtOnce}))`;

export interface ForgetContext {
  readonly database: TelemetryDatabase;
  readonly deadLetters: Pick<DeadLetters, 'removeOf'>;
  readonly now?: () => number;
}

/**
 * Forgets an account's requests: first a tombstone, which every later write of its events heeds, then all that is kept of
 * them. Says whether nothing is left. May be asked any number of times, and by two at once.
 */
export async function forgetAccount(
  { database, deadLetters, now = Date.now }: ForgetContext,
  { accountId }: { accountId: string },
): Promise<{ isDone: boolean }> {
  const until = now() + workMs;
  await writeTombstone(database, accountId);
  await deadLetters.removeOf(accountId);
  const client = database.acrossAccounts;
  for (const { name } of await client.$queryRawUnsafe<{ name: string }[]>(findTables)) {
    let deleted = rowsAtOnce;
    while (deleted === rowsAtOnce) {
      if (now() >= until) return { isDone: false };
      deleted = await client.$executeRawUnsafe(renderDelete(name), accountId);
    }
  }
  return { isDone: true };
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
      client.$executeRawUnsafe('LOCK TABLE request_log, request_contents IN SHARE ROW EXCLUSIVE MODE'),
      client.$executeRawUnsafe(
        'INSERT INTO forgotten_accounts (account_id) VALUES ($1::uuid) ON CONFLICT DO NOTHING',
        accountId,
      ),
    ]);
  } catch (error) {
    throw new GatewayError('service_unavailable', { detail: 'the tombstone was not written', cause: error });
  }
}
