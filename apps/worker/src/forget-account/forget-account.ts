import { GatewayError } from '@gateway/errors';
import type { DeadLetters } from '../jobs/write-request-log/write-request-log.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

/**
 * Number of rows that one SQL statement deletes. Each deletion takes a fraction of a second, so that other
 * writers do not wait long.
 */
const rowsAtOnce = 5_000;
/** Time limit for one call in milliseconds, well below the contract's deadline. */
const workMs = 5_000;
/**
 * How long the write of the deletion mark waits for active writers, in milliseconds. If the writers take
 * longer, the write of the deletion mark fails and is retried.
 */
const lockTimeoutMs = 2_000;

/**
 * Finds every table with an account id column, and lists each partition separately. The query finds newly
 * added tables automatically.
 */
const findTables = `
  SELECT class.oid::regclass::text AS name
  FROM pg_class AS class JOIN pg_attribute AS field ON field.attrelid = class.oid
  WHERE class.relnamespace = 'public'::regnamespace AND class.relkind = 'r'
    AND field.attname = 'account_id' AND NOT field.attisdropped AND class.relname <> 'forgotten_accounts'
  ORDER BY class.oid`;

/** @param table a quoted table name returned by `findTables` */
const renderDelete = (table: string) =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE account_id = $1::uuid LIMIT ${rowsAtOnce}))`;

export interface ForgetContext {
  readonly database: TelemetryDatabase;
  readonly deadLetters: Pick<DeadLetters, 'removeOf'>;
  readonly now?: () => number;
}

/**
 * Deletes an account's requests. Marks the account as deleted before the account's rows are deleted, so
 * that later writes skip the account. Returns whether the deletion of the account is complete. Repeated and
 * concurrent calls are safe.
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
 * Marks an account as deleted, in the table `forgotten_accounts`. The table lock waits for writers that have
 * not read the deletion mark. The lock ensures that no writer adds rows for the account after the deletion.
 * An SQL statement takes its snapshot after it acquires its table locks, so a writer that waits for the lock
 * reads the deletion mark.
 */
async function writeTombstone(database: TelemetryDatabase, accountId: string): Promise<void> {
  const client = database.acrossAccounts;
  if ((await client.forgottenAccount.count({ where: { accountId } })) > 0) return;
  try {
    await client.$transaction([
      client.$executeRawUnsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs}`),
      client.$executeRawUnsafe(
        'LOCK TABLE request_log, request_contents, tool_days IN SHARE ROW EXCLUSIVE MODE',
      ),
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
