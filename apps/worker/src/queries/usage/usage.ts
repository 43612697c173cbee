import type {
  KeyUsage,
  UsageDay,
  UsageFigures,
  UsageSession,
  listDailyUsage as listDailyUsageContract,
  listKeyUsage as listKeyUsageContract,
  listSessions as listSessionsContract,
  summarizeUsage as summarizeUsageContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { pageOf, queryAccountPage, queryAccountUsage } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { asInstant, dayOf, loggedColumns, usedColumns } from './usage-columns.ts';

const totalSql = `SELECT ${usedColumns} FROM used`;

/**
 * Returns an account's usage in a time span. If the time span has no requests, all usage figures are zero.
 */
export async function summarizeUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof summarizeUsageContract>,
): Promise<ReplyOf<typeof summarizeUsageContract>> {
  const [figures] = await queryAccountUsage<UsageFigures>(database, span, totalSql);
  if (figures === undefined) throw new Error('an aggregate without a GROUP BY has one row');
  return { figures };
}

const daysSql = `SELECT 'usage.day' AS object, ${dayOf('at')} AS date, ${usedColumns} FROM used GROUP BY date ORDER BY date`;

/** Lists an account's usage per day. Days without requests are omitted. */
export async function listDailyUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof listDailyUsageContract>,
): Promise<ReplyOf<typeof listDailyUsageContract>> {
  return { days: await queryAccountUsage<UsageDay>(database, span, daysSql) };
}

const keysMax = 1_000;
const keysSql = `
  SELECT 'usage.key' AS object, key_id, ${usedColumns}
  FROM used GROUP BY key_id ORDER BY requests DESC NULLS LAST, key_id LIMIT ${keysMax}`;

/** Lists an account's usage per API key, starting with the most used key. */
export async function listKeyUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof listKeyUsageContract>,
): Promise<ReplyOf<typeof listKeyUsageContract>> {
  return { keys: await queryAccountUsage<Omit<KeyUsage, 'name'>>(database, span, keysSql) };
}

const modelsMax = 20;
/** The chat endpoints. Requests to stateless proxy endpoints belong to no session. */
const chatEndpoints = [
  ...['/v1/chat/completions', '/v1/messages', '/v1/responses'],
  ...['/model/{id}/converse', '/model/{id}/converse-stream'],
]
  .map((endpoint) => `'${endpoint}'`)
  .join(', ');
const sessionsSql = `
  , sessions AS (
    SELECT 'session' AS object, session_id,
      ${asInstant('min(created_at)')} AS first_request_at, ${asInstant('max(created_at)')} AS last_request_at,
      coalesce(
        (array_agg(DISTINCT provider || '/' || model) FILTER (WHERE provider || model IS NOT NULL))[1:${modelsMax}],
        '{}'
      ) AS models,
      coalesce(sum(cache_miss_tokens), 0)::float8 AS cache_missed_tokens,
      ${loggedColumns}
    FROM own WHERE session_id IS NOT NULL AND endpoint IN (${chatEndpoints}) GROUP BY session_id
  )
  SELECT ${pageOf('sessions', 'last_request_at DESC, session_id')}`;

/** Lists an account's session ids, most recently active first. */
export function listSessions(
  database: TelemetryDatabase,
  request: ParsedRequestOf<typeof listSessionsContract>,
): Promise<ReplyOf<typeof listSessionsContract>> {
  return queryAccountPage<{ total: number; sessions: UsageSession[] }>(database, request, sessionsSql);
}
