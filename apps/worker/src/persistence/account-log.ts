import type { TelemetryDatabase } from './telemetry-database.ts';

/** A time span in one account's request log, with an inclusive start and an exclusive end, both in RFC 3339. */
export interface LogSpan {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Runs a query over `own`, the account's log rows in the time span. The query reads few partitions, and only the rows
 * of one account. The text in `sql` comes directly after the definition of `own`. It starts with `SELECT`, or with a
 * comma and another table definition. The parameters of `sql` start at `$4`. Postgres inlines `own` into the query.
 */
export function queryAccountLog<Row>(
  database: TelemetryDatabase,
  { accountId, from, to }: LogSpan,
  sql: string,
  ...values: readonly (string | number | null)[]
): Promise<Row[]> {
  if (/\brequest_log\b/.test(sql)) throw new Error('a query of one account may select only from "own"');
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

interface PageSpan extends LogSpan {
  readonly limit: number;
  readonly offset: number;
}

/**
 * SQL columns for a query with `queryAccountPage`. One column contains the total number of rows in the list. The
 * column with the list's name contains one page of the list.
 */
export const pageOf = (list: string, orderBy: string): string => `
  (SELECT count(*) FROM ${list})::float8 AS total, (
    SELECT coalesce(json_agg(page), '[]') FROM (
      SELECT * FROM ${list} ORDER BY ${orderBy} LIMIT $4::int OFFSET $5::bigint
    ) AS page
  ) AS ${list}`;

/** Runs a query over `own` that selects one page of a list with `pageOf`. */
export async function queryAccountPage<Row>(
  database: TelemetryDatabase,
  { limit, offset, ...span }: PageSpan,
  sql: string,
): Promise<Row> {
  const [row] = await queryAccountLog<Row>(database, span, sql, limit, offset);
  if (row === undefined) throw new Error('a SELECT without a FROM has one row');
  return row;
}

/**
 * Runs a query over `used`, the rows of an account in `tool_days` for a span of whole UTC days. The query
 * selects one page of a list with `pageOf`.
 */
export async function queryToolDays<Row>(
  database: TelemetryDatabase,
  { accountId, from, to, limit, offset }: PageSpan,
  sql: string,
): Promise<Row> {
  const [row] = await database.acrossAccounts.$queryRawUnsafe<Row[]>(
    `WITH used AS (
       SELECT * FROM tool_days WHERE account_id = $1::uuid
         AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date AND day < ($3::timestamptz AT TIME ZONE 'UTC')::date
     ) ${sql}`,
    ...[accountId, from, to, limit, offset],
  );
  if (row === undefined) throw new Error('a SELECT without a FROM has one row');
  return row;
}

/**
 * SQL condition for log rows with pruned tools. In rows of earlier releases, `tools_out` does
 * not count the recovery tool.
 */
export const isPruned = 'coalesce(tools_pruned, tools_in - tools_out) > 0';

/** SQL for the amounts that a log row adds to its hour in `usage_hours`, in the service and in database triggers. */
const addends = {
  requests: '1',
  errors: "(status = 'error')::int",
  prompt_tokens: 'coalesce(prompt_tokens, 0)',
  completion_tokens: 'coalesce(completion_tokens, 0)',
  cached_tokens: 'coalesce(cached_tokens, 0)',
  tools_in: 'tools_in',
  tools_out: 'tools_out',
  estimated_tokens_saved: 'estimated_tokens_saved',
  compression_tokens_saved: 'compression_tokens_saved',
  cost_usd: 'coalesce(cost_usd, 0)',
  provider_savings_usd: 'coalesce(provider_savings_usd, 0)',
  measured_requests: '(prompt_tokens IS NOT NULL)::int',
  priced_requests: '(cost_usd IS NOT NULL)::int',
  unpriced_requests: '(prompt_tokens IS NOT NULL AND cost_usd IS NULL)::int',
  saving_requests: '(provider_savings_usd IS NOT NULL)::int',
  tool_tokens_saved: 'coalesce(tool_tokens_saved, 0)',
  tool_measured_requests: '(tool_tokens_saved IS NOT NULL)::int',
  recovery_tokens: 'recovery_tokens',
  recovery_tokens_deducted: 'recovery_tokens_deducted',
  gross_savings_usd: 'coalesce(gross_savings_usd, 0)',
  gross_requests: '(gross_savings_usd IS NOT NULL)::int',
  pruned_requests: `(${isPruned})::int`,
  cancelled_requests: "(status = 'cancelled')::int",
  truncated_requests: "(status = 'truncated')::int",
  interrupted_requests: "(status = 'interrupted')::int",
};
const names = Object.keys(addends).join(', ');
const ofRow = Object.entries(addends)
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(', ');
const nothing = Object.keys(addends)
  .map((name) => `0 AS ${name}`)
  .join(', ');

const hourMs = 3_600_000;

/**
 * Returns the whole hours in a time span. If the span contains no whole hour, both returned times are the same.
 */
export function chooseWholeHours({ from, to }: Pick<LogSpan, 'from' | 'to'>): { from: string; to: string } {
  const firstMs = Math.min(Math.ceil(Date.parse(from) / hourMs) * hourMs, Date.parse(to));
  const lastMs = Math.max(Math.floor(Date.parse(to) / hourMs) * hourMs, firstMs);
  return { from: new Date(firstMs).toISOString(), to: new Date(lastMs).toISOString() };
}

const rowsWithin = (from: string, to: string) => `
  SELECT created_at AS at, key_id, ${ofRow}, 0 AS purged_requests, 0 AS unknown_requests FROM request_log
  WHERE account_id = $1::uuid AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz`;

/**
 * SQL for the partial hour at one end of a time span. The figures of a partial hour are unknown if any rows
 * from the hour were deleted.
 */
const unknownWithin = (from: string, to: string) => `
  SELECT greatest(hour, ${from}::timestamptz) AS at, key_id, ${nothing}, 0, requests - logged_requests FROM usage_hours
  WHERE account_id = $1::uuid AND ${from}::timestamptz < ${to}::timestamptz AND requests > logged_requests
    AND hour >= date_trunc('hour', ${from}::timestamptz, 'UTC') AND hour < ${to}::timestamptz`;

/**
 * Runs a query over `used`, an account's usage in a time span. Callers can sum the figures over the rows of
 * `used`. For whole hours, the rows are hourly totals per API key. For the partial hours at both ends of the
 * time span, the query reads log rows. The column `at` contains an arbitrary time on the day to which the usage
 * belongs. The hourly totals are kept longer than the request log. The column `purged_requests` counts the
 * row's requests that were deleted from the log. The column `unknown_requests` is above zero if the totals lack
 * deleted requests from a partial hour. The parameters of `sql` start at `$6`.
 */
export function queryAccountUsage<Row>(
  database: TelemetryDatabase,
  { accountId, from, to }: LogSpan,
  sql: string,
  ...values: readonly string[]
): Promise<Row[]> {
  const whole = chooseWholeHours({ from, to });
  return database.acrossAccounts.$queryRawUnsafe<Row[]>(
    `WITH used AS NOT MATERIALIZED (
       SELECT hour AS at, key_id, ${names}, requests - logged_requests AS purged_requests, 0 AS unknown_requests
       FROM usage_hours
       WHERE account_id = $1::uuid AND hour >= $3::timestamptz AND hour < $4::timestamptz
       UNION ALL ${rowsWithin('$2', '$3')}
       UNION ALL ${rowsWithin('$4', '$5')}
       UNION ALL ${unknownWithin('$2', '$3')}
       UNION ALL ${unknownWithin('$4', '$5')}
     ) ${sql}`,
    accountId,
    from,
    whole.from,
    whole.to,
    to,
    ...values,
  );
}
