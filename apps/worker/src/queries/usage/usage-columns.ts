/** SQL for the UTC day that contains an instant, as `YYYY-MM-DD`. */
export const dayOf = (sql: string): string => `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`;

/** SQL for the start of the UTC hour that contains an instant, in RFC 3339 format. */
export const hourOf = (sql: string): string =>
  `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24":00:00.000Z"')`;

/** SQL that formats an aggregate of times, for example the latest time, in RFC 3339 format. */
export const asInstant = (sql: string): string =>
  `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const sumOf = (sql: string): string => `coalesce(sum(${sql}), 0)`;
const named = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, sql]) => `(${sql})::float8 AS ${name}`)
    .join(', ');

/** Columns with equal sums in the request log and in the hourly totals. */
const sums = {
  prompt_tokens: sumOf('prompt_tokens'),
  completion_tokens: sumOf('completion_tokens'),
  total_tokens: `${sumOf('prompt_tokens')} + ${sumOf('completion_tokens')}`,
  cached_tokens: sumOf('cached_tokens'),
  tools_in: sumOf('tools_in'),
  tools_out: sumOf('tools_out'),
  estimated_tokens_saved: sumOf('estimated_tokens_saved'),
  compression_tokens_saved: sumOf('compression_tokens_saved'),
  total_tokens_saved: sumOf('estimated_tokens_saved + compression_tokens_saved'),
  recovery_tokens: sumOf('recovery_tokens'),
  recovery_tokens_deducted: sumOf('recovery_tokens_deducted'),
  net_tokens_saved: sumOf('estimated_tokens_saved + compression_tokens_saved - recovery_tokens_deducted'),
};

/**
 * The columns in `usageFigures` and `gross_savings_usd`, aggregated over request log rows. The totals are computed
 * with exact types (`bigint` and `numeric`). Only the final total is converted to a double. Doubles are exact for
 * integers up to 2^53.
 */
export const loggedColumns = named({
  ...sums,
  requests: 'count(*)',
  errors: `count(*) FILTER (WHERE status = 'error')`,
  tool_tokens_saved: 'sum(tool_tokens_saved)',
  cost_usd: `CASE WHEN count(cost_usd) = 0 AND count(prompt_tokens) > 0 THEN NULL ELSE ${sumOf('cost_usd')} END`,
  unpriced_requests: 'count(*) FILTER (WHERE prompt_tokens IS NOT NULL AND cost_usd IS NULL)',
  provider_savings_usd: 'sum(provider_savings_usd)',
  gross_savings_usd: 'sum(gross_savings_usd)',
});

/** SQL columns computed from rows of `queryAccountUsage`. A column is null if any term of its sum is unknown. */
const known = (columns: Readonly<Record<string, string>>): string =>
  named(
    Object.fromEntries(
      Object.entries(columns).map(([name, sql]) => [
        name,
        `CASE WHEN sum(unknown_requests) > 0 THEN NULL ELSE ${sql} END`,
      ]),
    ),
  );

/** The usage columns for rows that already contain totals (`queryAccountUsage`). */
export const usedColumns = known({
  ...sums,
  requests: sumOf('requests'),
  errors: sumOf('errors'),
  tool_tokens_saved: 'CASE WHEN sum(tool_measured_requests) > 0 THEN sum(tool_tokens_saved) END',
  cost_usd: `CASE WHEN sum(priced_requests) = 0 AND sum(measured_requests) > 0 THEN NULL ELSE ${sumOf('cost_usd')} END`,
  unpriced_requests: sumOf('unpriced_requests'),
  provider_savings_usd: 'CASE WHEN sum(saving_requests) > 0 THEN sum(provider_savings_usd) END',
});

/** The analytics columns, other than `usedColumns`, that the hourly totals also contain. */
export const usedAnalyticsColumns = known({
  gross_savings_usd: 'CASE WHEN sum(gross_requests) > 0 THEN sum(gross_savings_usd) END',
  pruned_requests: sumOf('pruned_requests'),
  status_ok: sumOf('requests - errors - cancelled_requests - truncated_requests - interrupted_requests'),
  status_error: sumOf('errors'),
  status_cancelled: sumOf('cancelled_requests'),
  status_truncated: sumOf('truncated_requests'),
  status_interrupted: sumOf('interrupted_requests'),
});
