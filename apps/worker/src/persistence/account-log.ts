import type { TelemetryDatabase } from './telemetry-database.ts';

/** A part of one account's request log: from an instant (inclusive) to another (exclusive), both RFC 3339. */
export interface LogSpan {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Runs a query over `own`, which is that part of the log: so aggregates are scoped by account, and bounded in time to few
 * partitions, by what they select from. `sql` follows the definition of `own`: it begins with `SELECT`, or with a comma
 * and a definition more. Its own values are `$4` and so on. Postgres folds `own` into the query.
 */
export function queryAccountLog<Row>(
  database: TelemetryDatabase,
  { accountId, from, to }: LogSpan,
  sql: string,
  ...values: readonly (string | number)[]
): Promise<Row[]> {
  if (/\brequest_log\b/.test(sql)) throw new Error('a query of one account selects from "own" alone');
  return database.acrossAccounts.$queryRawUnsafe<Row[]>(
    `WITH own AS NOT MATERIALIZED (
       SELECT * FROM request_log
       WHERE account_id = $1::uuid AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
     ) ${sql}`,
    accountId,
    from,
    to,
    ...values,
  );
}
