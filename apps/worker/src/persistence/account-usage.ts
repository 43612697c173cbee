import type { LogSpan } from './account-log.ts';
import type { TelemetryDatabase } from './telemetry-database.ts';

/** What a row of the log adds to its hour: the columns of `usage_hours`, as the triggers sum them. */
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
};
const names = Object.keys(addends).join(', ');
const ofRow = Object.entries(addends)
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(', ');

const hourMs = 3_600_000;

/** The whole hours within a span. Where there are none, both are the same instant, within the span or at its end. */
export function chooseWholeHours({ from, to }: Pick<LogSpan, 'from' | 'to'>): { from: string; to: string } {
  const firstMs = Math.min(Math.ceil(Date.parse(from) / hourMs) * hourMs, Date.parse(to));
  const lastMs = Math.max(Math.floor(Date.parse(to) / hourMs) * hourMs, firstMs);
  return { from: new Date(firstMs).toISOString(), to: new Date(lastMs).toISOString() };
}

const rowsWithin = (from: string, to: string) => `
  SELECT created_at AS at, key_id, ${ofRow} FROM request_log
  WHERE account_id = $1::uuid AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz`;

/**
 * Runs a query over `used`, which is what an account used in a span, in parts that add up: whole hours of each key as they
 * are rolled up, and the rows of the log before and after them. `at` tells a part's day. `sql` takes no values.
 */
export function queryAccountUsage<Row>(
  database: TelemetryDatabase,
  { accountId, from, to }: LogSpan,
  sql: string,
): Promise<Row[]> {
  const whole = chooseWholeHours({ from, to });
  return database.acrossAccounts.$queryRawUnsafe<Row[]>(
    `WITH used AS NOT MATERIALIZED (
       SELECT hour AS at, key_id, ${names} FROM usage_hours
       WHERE account_id = $1::uuid AND hour >= $3::timestamptz AND hour < $4::timestamptz
       UNION ALL ${rowsWithin('$2', '$3')}
       UNION ALL ${rowsWithin('$4', '$5')}
     ) ${sql}`,
    accountId,
    from,
    whole.from,
    whole.to,
    to,
  );
}
