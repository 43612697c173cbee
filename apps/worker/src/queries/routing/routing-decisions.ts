import type {
  RecallAlert,
  RecentRoutingTrace,
  listRecallAlerts as listRecallAlertsContract,
  listRoutingTraces as listRoutingTracesContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { isPruned, pageOf, queryAccountPage } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { renderTrace, traceFields } from '../requests/render-request.ts';
import { usesTool } from '../requests/requests.ts';
import { asInstant } from '../usage/usage-columns.ts';

/** SQL condition for log rows with pruned tools and known candidates. */
export const isPrunedByPlan = `routing IS NOT NULL AND ${isPruned}`;

/** Number of best candidates shown per routing decision, in addition to the called candidates. */
const candidatesMax = 10;

/** Lists an account's routing decisions about tools, newest first. */
export async function listRoutingTraces(
  database: TelemetryDatabase,
  request: ParsedRequestOf<typeof listRoutingTracesContract>,
): Promise<ReplyOf<typeof listRoutingTracesContract>> {
  const { accountId, from, to, limit, offset, intent, reason, tool } = request;
  const rows = await database.forAccount(accountId).requestLog.findMany({
    ...traceFields,
    where: {
      createdAt: { gte: from, lt: to },
      kReason: reason ?? { not: null },
      ...(intent === undefined ? {} : { intent }),
      ...(tool === undefined ? {} : { OR: usesTool(tool) }),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    skip: offset,
    take: limit,
  });
  return { traces: rows.map((row) => chooseTopCandidates(renderTrace(row))) };
}

/** Keeps the called candidates and the best-ranked candidates of a routing decision. */
export function chooseTopCandidates(trace: Omit<RecentRoutingTrace, 'candidates_total'>): RecentRoutingTrace {
  const candidates = trace.candidates
    .filter(({ rank, called }) => called || rank <= candidatesMax)
    .sort((one, other) => one.rank - other.rank);
  return { ...trace, candidates, candidates_total: trace.candidates.length };
}

/**
 * The reason why a tool was pruned. The plan of a first turn forwards the K best-ranked tools. In later turns, the
 * tool set can lack a tool with a rank of at most K.
 */
const prunedBecause = `CASE WHEN min(rank) > k THEN 'below_k' WHEN min(rank) <= k THEN 'earlier_turn' END`;

/**
 * SQL that selects the recall alerts, one per request and tool. A call to a pruned tool is a `recovery` if
 * the model requested the tool through the recovery tool. A call without the recovery tool is a
 * `hallucinated_call`, because the request did not contain the called tool name. A shadow request contains
 * all tools, although the plan would have pruned the called tool.
 */
const sql = `
  , candidates AS (
    SELECT id, created_at, k, k_reason, candidate ->> 0 AS tool, (candidate ->> 2)::int AS rank,
      candidate ->> 0 = ANY (recovered_tools) AS is_recovered
    FROM own CROSS JOIN LATERAL jsonb_array_elements(candidates) AS candidate
    WHERE (k_reason = 'shadow' AND cardinality(called_tools) > 0 OR ${isPrunedByPlan} AND cardinality(called_tools) > 0 OR cardinality(recovered_tools) > 0)
      AND candidate ->> 3 = '0'
      AND (candidate ->> 0 = ANY (called_tools) OR candidate ->> 0 = ANY (recovered_tools))
  ), alerts AS (
    SELECT 'recall_alert' AS object, tool, id AS request_id,
      CASE WHEN k_reason = 'shadow' THEN 'shadow' WHEN is_recovered THEN 'recovery' ELSE 'hallucinated_call' END
        AS detected_by,
      min(rank) AS rank, k, ${prunedBecause} AS pruned_because, ${asInstant('created_at')} AS at
    FROM candidates GROUP BY id, created_at, tool, k, k_reason, is_recovered
  )
  SELECT ${pageOf('alerts', 'request_id DESC, rank')}`;

/**
 * Lists needed tools that the plan pruned or, in a shadow conversation, would have pruned. The most
 * recently needed tools come first.
 */
export function listRecallAlerts(
  database: TelemetryDatabase,
  request: ParsedRequestOf<typeof listRecallAlertsContract>,
): Promise<ReplyOf<typeof listRecallAlertsContract>> {
  return queryAccountPage<{ total: number; alerts: RecallAlert[] }>(database, request, sql);
}
