import type { reportCache as reportCacheContract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

type Figures = ReplyOf<typeof reportCacheContract>['figures'];

const sql = `
  , compared AS (
    SELECT * FROM own WHERE conversation IS NOT NULL AND ($4::text IS NULL OR session_id = $4::text)
  ), causes AS (
    SELECT cache_miss_cause AS cause, cache_miss_detail AS detail, count(*)::float8 AS requests,
      sum(cache_miss_tokens)::float8 AS tokens, sum(cache_miss_usd)::float8 AS usd
    FROM compared WHERE cache_miss_cause IS NOT NULL GROUP BY cache_miss_cause, cache_miss_detail
  )
  SELECT count(*)::float8 AS requests,
    coalesce(sum(prompt_tokens), 0)::float8 AS prompt_tokens,
    coalesce(sum(cached_tokens), 0)::float8 AS cached_tokens,
    coalesce(sum(cache_write_tokens), 0)::float8 AS cache_write_tokens,
    count(cache_miss_cause)::float8 AS missed_requests,
    coalesce(sum(cache_miss_tokens), 0)::float8 AS missed_tokens,
    CASE WHEN count(cache_miss_cause) = 0 THEN 0 ELSE sum(cache_miss_usd) END::float8 AS missed_usd,
    (SELECT coalesce(json_agg(causes ORDER BY tokens DESC, cause, detail), '[]') FROM causes) AS causes
  FROM compared`;

/**
 * Sums the prompt tokens that were read from providers' prompt caches. The query also sums the tokens that
 * were not found in prompt caches, by cause.
 */
export async function reportCache(
  database: TelemetryDatabase,
  { sessionId, ...span }: ParsedRequestOf<typeof reportCacheContract>,
): Promise<ReplyOf<typeof reportCacheContract>> {
  const [figures] = await queryAccountLog<Figures>(database, span, sql, sessionId);
  if (figures === undefined) throw new Error('an aggregate without GROUP BY has one row');
  return { figures };
}
