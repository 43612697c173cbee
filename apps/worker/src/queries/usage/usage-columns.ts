/** The UTC day that contains an instant, as `YYYY-MM-DD`. */
export const dayOf = (sql: string): string => `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`;

/** An aggregate over times, as RFC 3339. */
export const asInstant = (sql: string): string =>
  `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The columns in `usageFigures`, aggregated over a group of rows. Totals are exact (`bigint` and `numeric`).
 * Only the result is converted to a double, which is exact for integers up to 2^53.
 */
const usageColumns = `
  count(*)::float8 AS requests,
  (count(*) FILTER (WHERE status = 'error'))::float8 AS errors,
  coalesce(sum(prompt_tokens), 0)::float8 AS prompt_tokens,
  coalesce(sum(completion_tokens), 0)::float8 AS completion_tokens,
  (coalesce(sum(prompt_tokens), 0) + coalesce(sum(completion_tokens), 0))::float8 AS total_tokens,
  coalesce(sum(cached_tokens), 0)::float8 AS cached_tokens,
  coalesce(sum(tools_in), 0)::float8 AS tools_in,
  coalesce(sum(tools_out), 0)::float8 AS tools_out,
  coalesce(sum(estimated_tokens_saved), 0)::float8 AS estimated_tokens_saved,
  coalesce(sum(compression_tokens_saved), 0)::float8 AS compression_tokens_saved,
  coalesce(sum(estimated_tokens_saved + compression_tokens_saved), 0)::float8 AS total_tokens_saved,
  (CASE WHEN count(cost_usd) = 0 AND count(prompt_tokens) > 0 THEN NULL ELSE coalesce(sum(cost_usd), 0) END)::float8
    AS cost_usd,
  (count(*) FILTER (WHERE prompt_tokens IS NOT NULL AND cost_usd IS NULL))::float8 AS unpriced_requests,
  sum(provider_savings_usd)::float8 AS provider_savings_usd`;

/** The usage columns, plus a column that the hourly totals lack. */
export const loggedColumns = `${usageColumns},
  sum(gross_savings_usd)::float8 AS gross_savings_usd`;

/** The usage columns over rows that already contain totals (`queryAccountUsage`). */
export const usedColumns = `
  coalesce(sum(requests), 0)::float8 AS requests,
  coalesce(sum(errors), 0)::float8 AS errors,
  coalesce(sum(prompt_tokens), 0)::float8 AS prompt_tokens,
  coalesce(sum(completion_tokens), 0)::float8 AS completion_tokens,
  coalesce(sum(prompt_tokens + completion_tokens), 0)::float8 AS total_tokens,
  coalesce(sum(cached_tokens), 0)::float8 AS cached_tokens,
  coalesce(sum(tools_in), 0)::float8 AS tools_in,
  coalesce(sum(tools_out), 0)::float8 AS tools_out,
  coalesce(sum(estimated_tokens_saved), 0)::float8 AS estimated_tokens_saved,
  coalesce(sum(compression_tokens_saved), 0)::float8 AS compression_tokens_saved,
  coalesce(sum(estimated_tokens_saved + compression_tokens_saved), 0)::float8 AS total_tokens_saved,
  (CASE WHEN sum(priced_requests) = 0 AND sum(measured_requests) > 0 THEN NULL ELSE coalesce(sum(cost_usd), 0) END)::float8
    AS cost_usd,
  coalesce(sum(unpriced_requests), 0)::float8 AS unpriced_requests,
  (CASE WHEN sum(saving_requests) > 0 THEN sum(provider_savings_usd) END)::float8 AS provider_savings_usd`;
