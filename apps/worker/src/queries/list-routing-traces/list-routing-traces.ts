import type { listRoutingTraces as contract, RecentRoutingTrace } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { renderTrace, traceFields } from '../render-request.ts';

/** Best candidates shown of each decision, beside those that were called. */
const candidatesMax = 10;

/** An account's decisions about tools, the newest first. */
export async function listRoutingTraces(
  database: TelemetryDatabase,
  { accountId, from, to, limit }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const rows = await database.forAccount(accountId).requestLog.findMany({
    ...traceFields,
    where: { createdAt: { gte: from, lt: to }, kReason: { not: null } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
  });
  return { traces: rows.map((row) => chooseTopCandidates(renderTrace(row))) };
}

/** The best of a decision's candidates, and those that were called, by rank. */
export function chooseTopCandidates(trace: Omit<RecentRoutingTrace, 'candidates_total'>): RecentRoutingTrace {
  const candidates = trace.candidates
    .filter(({ rank, called }) => called || rank <= candidatesMax)
    .sort((one, other) => one.rank - other.rank);
  return { ...trace, candidates, candidates_total: trace.candidates.length };
}
