import type { listRecallAlerts as contract, RecallAlert } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { isLeftOutAndCalled, isPrunedAndCalling } from '../left-out-tools.ts';
import { asInstant } from '../usage-columns.ts';

const sql = `
  , alerts AS (
    SELECT 'recall_alert' AS object, candidate ->> 0 AS tool, id AS request_id, 'hallucinated_call' AS detected_by,
      (candidate ->> 2)::int AS rank, k, ${asInstant('created_at')} AS at
    FROM own CROSS JOIN LATERAL jsonb_array_elements(candidates) AS candidate
    WHERE ${isPrunedAndCalling} AND ${isLeftOutAndCalled}
  )
  SELECT (SELECT count(*) FROM alerts)::float8 AS total, (
    SELECT coalesce(json_agg(page), '[]') FROM (
      SELECT * FROM alerts ORDER BY request_id DESC, rank LIMIT $4::int OFFSET $5::bigint
    ) AS page
  ) AS alerts`;

/** Tools that a model called although they had been left out of its list, the newest call first. */
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
