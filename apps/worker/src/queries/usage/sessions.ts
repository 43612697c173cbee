import type { listSessions as listSessionsContract, UsageSession } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { pageOf, queryAccountPage } from '../../persistence/account-log.ts';
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
      coalesce(sum(cache_miss_tokens), 0)::float8 AS cache_missed_tokens,
      ${loggedColumns}
    FROM own WHERE session_id IS NOT NULL GROUP BY session_id
  )
  SELECT ${pageOf('sessions', 'last_request_at DESC, session_id')}`;

/** Lists an account's session ids, most recently active first. */
export function listSessions(
  database: TelemetryDatabase,
  request: ParsedRequestOf<typeof listSessionsContract>,
): Promise<ReplyOf<typeof listSessionsContract>> {
  return queryAccountPage<{ total: number; sessions: UsageSession[] }>(database, request, sql);
}
