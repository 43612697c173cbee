import type { listSessions as listSessionsContract, UsageSession } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { asInstant, loggedColumns } from './usage-columns.ts';

const modelsMax = 20;
const sql = `
  , sessions AS (
    SELECT 'session' AS object, session_id,
      ${asInstant('min(created_at)')} AS first_request_at, ${asInstant('max(created_at)')} AS last_request_at,
      coalesce(
        (array_agg(DISTINCT provider || '/' || model) FILTER (WHERE provider || model IS NOT NULL))[1:${modelsMax}],
        '{}'
      ) AS models,
      ${loggedColumns}
    FROM own WHERE session_id IS NOT NULL GROUP BY session_id
  )
  SELECT (SELECT count(*) FROM sessions)::float8 AS total, (
    SELECT coalesce(json_agg(page), '[]') FROM (
      SELECT * FROM sessions ORDER BY last_request_at DESC, session_id LIMIT $4::int OFFSET $5::bigint
    ) AS page
  ) AS sessions`;

/** Lists an account's session ids, most recently active first. */
export async function listSessions(
  database: TelemetryDatabase,
  { limit, offset, ...span }: ParsedRequestOf<typeof listSessionsContract>,
): Promise<ReplyOf<typeof listSessionsContract>> {
  const [row] = await queryAccountLog<{ total: number; sessions: UsageSession[] }>(
    database,
    span,
    sql,
    limit,
    offset,
  );
  if (row === undefined) throw new Error('a SELECT without a FROM has one row');
  return row;
}
