import { expireContents } from '../../contents/request-contents.ts';
import { choosePartition, type Partitions } from '../../persistence/partitions.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

/** The request data that an account allows the gateway to store, and the retention period of the data. */
export interface Keeping {
  readonly retentionDays: number;
  readonly hasContents: boolean;
}

const dayMs = 86_400_000;
/**
 * Number of rows that one SQL statement deletes. Each deletion takes a fraction of a second, so that other
 * writers do not wait long.
 */
const rowsAtOnce = 5_000;
/**
 * Number of days for which the daily figures of tools are stored. Tool health queries cover at most 90
 * days.
 */
const toolDaysKept = 91;
/**
 * How long the deletion of a partition waits for readers and writers, in milliseconds. If a partition stays in use
 * for longer, it is kept until the next hourly run.
 */
const lockTimeoutMs = 2_000;

/**
 * Deletes an account's expired log rows and expired request contents. The function also deletes assessments of tools
 * that were not offered during the retention period. Hourly totals of usage are not deleted. Daily figures of tools
 * are kept as long as queries can request them, regardless of the retention period. Returns the number of deleted
 * rows and contents.
 */
export async function expireAccount(
  database: TelemetryDatabase,
  accountId: string,
  { retentionDays, hasContents }: Keeping,
  nowMs: number,
): Promise<{ readonly rows: number; readonly contents: number }> {
  const before = new Date(nowMs - retentionDays * dayMs);
  const client = database.acrossAccounts;
  let [expired, deleted] = [0, rowsAtOnce];
  while (deleted === rowsAtOnce) {
    deleted = await client.$executeRawUnsafe(
      `DELETE FROM request_log WHERE (id, created_at) IN (
         SELECT id, created_at FROM request_log
         WHERE account_id = $1::uuid AND created_at < $2::timestamptz LIMIT ${rowsAtOnce}
       )`,
      accountId,
      before.toISOString(),
    );
    expired += deleted;
  }
  const { toolAssessment, toolDay } = database.forAccount(accountId);
  await toolAssessment.deleteMany({ where: { assessedAt: { lt: before } } });
  await toolDay.deleteMany({ where: { day: { lt: new Date(nowMs - toolDaysKept * dayMs) } } });
  const contents = await expireContents(database, accountId, { isAllowed: hasContents, before });
  return { rows: expired, contents };
}

/**
 * Lists accounts with data that is more than one day old, because one day is the shortest retention period. The list
 * includes accounts with assessments, because an assessment can outlive the request that contained the assessed tool.
 */
export async function listAccountsWithOldRows(database: TelemetryDatabase, nowMs: number): Promise<string[]> {
  const rows = await database.acrossAccounts.$queryRawUnsafe<{ account_id: string }[]>(
    `SELECT account_id::text FROM usage_hours WHERE hour < $1::timestamptz AND logged_requests > 0
     UNION SELECT account_id::text FROM tool_assessments WHERE assessed_at < $1::timestamptz
     UNION SELECT account_id::text FROM tool_days WHERE day < $2::date`,
    new Date(nowMs - dayMs).toISOString(),
    new Date(nowMs - toolDaysKept * dayMs).toISOString(),
  );
  return rows.map(({ account_id }) => account_id);
}

/**
 * Drops empty partitions for past months, and returns the names of the dropped partitions. A dropped
 * partition is created again if an event for its month arrives late.
 */
export async function dropEmptyPartitions(
  database: TelemetryDatabase,
  partitions: Partitions,
  nowMs: number,
): Promise<string[]> {
  const client = database.acrossAccounts;
  const current = choosePartition(nowMs).name;
  const rows = await client.$queryRawUnsafe<{ name: string }[]>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = 'request_log'::regclass ORDER BY relname`,
  );
  const dropped: string[] = [];
  for (const { name } of rows) {
    if (!/^request_log_\d{4}_\d\d$/.test(name) || name >= current) continue;
    if (await dropIfEmpty(database, name)) dropped.push(name);
  }
  if (dropped.length > 0) partitions.forget();
  return dropped;
}

async function dropIfEmpty(database: TelemetryDatabase, name: string): Promise<boolean> {
  const client = database.acrossAccounts;
  await client.$transaction([
    client.$executeRawUnsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs}`),
    // The code checks the partition again under the lock, because another worker may have written to it.
    client.$executeRawUnsafe(`DO $drop$ BEGIN
      IF NOT EXISTS (SELECT FROM "${name}") THEN
        LOCK TABLE request_log, "${name}" IN ACCESS EXCLUSIVE MODE;
        IF NOT EXISTS (SELECT FROM "${name}") THEN DROP TABLE "${name}"; END IF;
      END IF;
    END $drop$`),
  ]);
  const [row] = await client.$queryRawUnsafe<{ there: boolean }[]>(
    'SELECT to_regclass($1) IS NOT NULL AS there',
    name,
  );
  return row?.there === false;
}
