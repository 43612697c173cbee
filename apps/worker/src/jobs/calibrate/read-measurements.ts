import { queryAccountLog, type LogSpan } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import type { ShadowSample } from './measure-bucket.ts';
import type { Measurements } from './policy-bucket.ts';
import type { PrunedConversation } from './recovery-rate.ts';
import type { Setup } from './setup-change.ts';

/**
 * Number of days from which requests are read. Earlier requests are ignored, because the account's traffic
 * changes.
 */
export const windowDays = 30;
const dayMs = 86_400_000;
const samplesMax = 20_000;
/**
 * Maximum number of needed tools that the worker reads per conversation. The worker first reads the tools
 * that require the largest K (number of ranked tools).
 */
const needsMax = 32;
/**
 * Number of pruned requests from which recoveries are measured. If there are more requests, the worker uses
 * the newest ones.
 */
const prunedRequestsMax = 50_000;

/**
 * The setup of a request consists of its tool list, model and ranker (the first part of the policy
 * version).
 */
const setupSql = `
  tool_list, provider || '/' || model AS model, nullif(split_part(policy_version, '/', 1), '') AS ranker`;
/** The setup of a conversation is the setup of its first request. */
const firstSetupSql = ['tool_list', 'model', 'ranker']
  .map((column) => `(array_agg(${column} ORDER BY created_at))[1] AS ${column}`)
  .join(', ');

/** A tool counts once per conversation, with the K (number of ranked tools) that its first call required. */
const samplesSql = `
  , shadow AS (
    SELECT coalesce(session_key, session_id, id::text) AS session, created_at, bucket, tools_in, needs,
      ${setupSql}
    FROM own WHERE needs IS NOT NULL AND bucket IS NOT NULL
  ), called AS (
    SELECT DISTINCT ON (session, need ->> 0) session, (need ->> 1)::int AS k, need ->> 2 = '0' AS is_missed,
      (need ->> 3)::int AS learned_k
    FROM shadow CROSS JOIN LATERAL jsonb_array_elements(needs -> 'tools') AS need
    ORDER BY session, need ->> 0, created_at
  ), needed AS (
    SELECT session, (array_agg(k ORDER BY k DESC))[1:${needsMax}] AS ks,
      (count(*) FILTER (WHERE is_missed))::int AS missed,
      (CASE WHEN bool_and(learned_k IS NOT NULL) THEN array_agg(learned_k ORDER BY learned_k DESC) END)[1:${needsMax}]
        AS learned_ks
    FROM called GROUP BY session
  )
  SELECT min(created_at) AS at, (array_agg(bucket ORDER BY created_at))[1] AS bucket,
    coalesce(max(ks), '{}') AS needed_ks, max(learned_ks) AS learned_ks,
    coalesce(max(missed), 0)::int AS missed,
    bool_or((needs -> 'armed')::boolean) AS is_armed, max(tools_in)::int AS tools,
    coalesce(max((needs -> 'share')::float8), 1) AS share, ${firstSetupSql}
  FROM shadow LEFT JOIN needed USING (session)
  GROUP BY session ORDER BY min(created_at) DESC LIMIT $4::int`;

interface SetupColumns {
  readonly tool_list: string | null;
  readonly model: string | null;
  readonly ranker: string | null;
}

interface SampleRow extends SetupColumns {
  readonly at: Date;
  readonly bucket: string;
  readonly needed_ks: readonly number[];
  readonly learned_ks: readonly number[] | null;
  readonly missed: number;
  readonly is_armed: boolean;
  readonly tools: number;
  readonly share: number;
}

/**
 * Counts a recovered tool only if the model called the tool after the recovery. The query excludes
 * conversations with an API key that sets K, because a fixed K prevents selection as a shadow conversation.
 */
const prunedSql = `
  , pruned AS (
    SELECT coalesce(session_key, session_id, id::text) AS session, created_at, bucket, k, called_tools,
      recovered_tools, ${setupSql}
    FROM own
    WHERE recovery IS NOT NULL AND k IS NOT NULL AND bucket IS NOT NULL
      AND k_reason NOT IN ('shadow', 'override')
    ORDER BY created_at DESC LIMIT ${prunedRequestsMax}
  ), conversations AS (
    SELECT session, min(created_at) AS at, (array_agg(bucket ORDER BY created_at))[1] AS bucket,
      (array_agg(k ORDER BY created_at))[1] AS k, ${firstSetupSql}
    FROM pruned GROUP BY session
  ), recovered AS (
    SELECT session, count(DISTINCT tool) AS tools
    FROM pruned CROSS JOIN LATERAL unnest(recovered_tools) AS tool
    WHERE EXISTS (
      SELECT FROM pruned AS other WHERE other.session = pruned.session AND tool = ANY (other.called_tools)
    )
    GROUP BY session
  )
  SELECT at, bucket, k, coalesce(tools, 0)::int AS recovered, tool_list, model, ranker
  FROM conversations LEFT JOIN recovered USING (session)`;

interface PrunedRow extends SetupColumns {
  readonly at: Date;
  readonly bucket: string;
  readonly k: number;
  readonly recovered: number;
}

/**
 * Reads an account's measurements of recall from the request log. The measurements come from shadow
 * conversations, and from recoveries in pruned conversations.
 */
export async function readMeasurements(
  database: TelemetryDatabase,
  accountId: string,
  nowMs: number,
): Promise<Measurements> {
  const span = spanOf(accountId, nowMs);
  const [rows, pruned] = await Promise.all([
    queryAccountLog<SampleRow>(database, span, samplesSql, samplesMax),
    queryAccountLog<PrunedRow>(database, span, prunedSql),
  ]);
  return { samples: rows.map(parseSample), pruned: pruned.map(parsePruned) };
}

/** The time span from which an account's requests are read. */
export function spanOf(accountId: string, nowMs: number): LogSpan {
  const [from, to] = [nowMs - windowDays * dayMs, nowMs + dayMs];
  return { accountId, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function parseSample(row: SampleRow): ShadowSample {
  const { at, bucket, missed, share, tools } = row;
  return {
    ...{ at: at.toISOString(), bucket, missed, share, tools },
    neededKs: row.needed_ks,
    learnedKs: row.learned_ks,
    isArmed: row.is_armed,
    setup: setupOf(row),
  };
}

function parsePruned(row: PrunedRow): PrunedConversation {
  const { at, bucket, k, recovered } = row;
  return { at: at.toISOString(), bucket, k, recovered, setup: setupOf(row) };
}

function setupOf({ tool_list, model, ranker }: SetupColumns): Setup {
  return [tool_list, model, ranker];
}
