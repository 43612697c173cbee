import type { listRecallAlerts as contract, RecallAlert } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { isPrunedAndCalling } from '../left-out-tools.ts';
import { asInstant } from '../usage-columns.ts';

/**
 * Each alert once in its request. A call of a tool that was left out is `recovery` where the model had asked for it by the
 * stand-in tool, else `hallucinated_call`: it was called by a name that the model was not given. In shadow everything
 * went out, and the plan would have dropped it.
 */
const sql = `
  , candidates AS (
    SELECT id, created_at, k, k_reason, candidate ->> 0 AS tool, (candidate ->> 2)::int AS rank,
      candidate ->> 0 = ANY (recovered_tools) AS is_recovered
    FROM own CROSS JOIN LATERAL jsonb_array_elements(candidates) AS candidate
    WHERE (k_reason = 'shadow' AND cardinality(called_tools) > 0 OR ${isPrunedAndCalling} OR cardinality(recovered_tools) > 0)
      AND candidate ->> 3 = '0'
      AND (candidate ->> 0 = ANY (called_tools) OR candidate ->> 0 = ANY (recovered_tools))
  ), alerts AS (
    SELECT 'recall_alert' AS object, tool, id AS request_id,
      CASE WHEN k_reason = 'shadow' THEN 'shadow' WHEN is_recovered THEN 'recovery' ELSE 'hallucinated_call' END
        AS detected_by,
      min(rank) AS rank, k, ${asInstant('created_at')} AS at
    FROM candidates GROUP BY id, created_at, tool, k, k_reason, is_recovered
  )
  SELECT (SELECT count(*) FROM alerts)::float8 AS total, (
    SELECT coalesce(json_agg(page), '[]') FROM (
      SELECT * FROM alerts ORDER BY request_id DESC, rank LIMIT $4::int OFFSET $5::bigint
    ) AS page
  ) AS alerts`;

/** Tools that a model needed and that were not forwarded, or would not have been, the newest first. */
export async function listRecallAlerts(
  database: TelemetryDatabase,
  { limit, offset, ...span }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const [row] = await queryAccountLog<{ total: number; alerts: RecallAlert[] }>(
    database,
    span,
    sql,
    limit,
    offset,
  );
  if (row === undefined) throw new Error('a SELECT without a FROM has one row');
  return row;
}
