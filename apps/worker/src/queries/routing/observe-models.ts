import type { ModelObservation, observeModels as observeModelsContract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { isPrunedByPlan } from './routing-decisions.ts';

const modelsMax = 500;
const firstToken = `(ORDER BY ms_first_byte) FILTER (WHERE status = 'ok' AND stream)`;
const total = `(ORDER BY ms_total) FILTER (WHERE status = 'ok')`;

/**
 * Whether a row measures the recall of its model, and whether the model missed a tool. Candidates are `[name,
 * score, rank, 0|1 forwarded, …]`. A pruned tool that the model recovered is not a miss. A pruned tool that
 * the model called without recovery is a miss.
 */
const isJudged = `${isPrunedByPlan} AND cardinality(called_tools) + cardinality(recovered_tools) > 0`;
const isMissed = `candidate ->> 3 = '0' AND candidate ->> 0 = ANY (called_tools)
        AND NOT candidate ->> 0 = ANY (recovered_tools)`;

const sql = `
  SELECT provider, model,
    count(*)::float8 AS requests,
    (count(*) FILTER (WHERE status IN ('ok', 'error', 'truncated')))::float8 AS ended,
    (count(*) FILTER (WHERE status IN ('error', 'truncated')))::float8 AS failed,
    (count(ms_first_byte) FILTER (WHERE status = 'ok' AND stream))::float8 AS streamed,
    percentile_cont(0.5) WITHIN GROUP ${firstToken} AS first_token_p50_ms,
    percentile_cont(0.95) WITHIN GROUP ${firstToken} AS first_token_p95_ms,
    percentile_cont(0.5) WITHIN GROUP ${total} AS total_p50_ms,
    percentile_cont(0.95) WITHIN GROUP ${total} AS total_p95_ms,
    count(missed)::float8 AS judged,
    (count(*) FILTER (WHERE NOT missed))::float8 AS recalled
  FROM own CROSS JOIN LATERAL (
    SELECT CASE WHEN ${isJudged} THEN EXISTS (
      SELECT FROM jsonb_array_elements(candidates) AS candidate WHERE ${isMissed}
    ) END AS missed
  ) AS judgement
  WHERE provider IS NOT NULL AND model IS NOT NULL
    AND (ms_upstream IS NOT NULL OR error_code IN ('upstream_unreachable', 'upstream_timeout'))
  GROUP BY provider, model ORDER BY requests DESC, provider, model LIMIT ${modelsMax}`;

/** Summarizes an account's requests per model, including requests that failed to reach the model. */
export async function observeModels(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof observeModelsContract>,
): Promise<ReplyOf<typeof observeModelsContract>> {
  return { models: await queryAccountLog<ModelObservation>(database, span, sql) };
}
