import type { listRequests as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import type {
  TelemetryDatabase,
  TelemetryModels,
  TelemetryWhere,
} from '../../persistence/telemetry-database.ts';
import { entryFields, renderEntry } from '../render-request.ts';
import { chooseRequestFilter } from './choose-request-filter.ts';

/** Counting goes through the index row by row; a total says "at least" from here on (about 15 ms). */
const totalMax = 100_000;

/**
 * An account's requests that the filter lets through, the newest first. `total` counts all of them; up to
 * 100,000 where something narrows the list.
 */
export async function listRequests(
  database: TelemetryDatabase,
  { accountId, limit, offset, filter }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const models = database.forAccount(accountId);
  const where = chooseRequestFilter(filter);
  const [total, rows] = await Promise.all([
    countRequests(models, where),
    models.requestLog.findMany({
      ...entryFields,
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offset,
      take: limit,
    }),
  ]);
  return { total, requests: rows.map(renderEntry) };
}

/** A whole log is counted by its sums. */
async function countRequests(
  { requestLog, usageHour }: TelemetryModels,
  where: TelemetryWhere,
): Promise<number> {
  if (Object.keys(where).length > 0) return requestLog.count({ where, take: totalMax });
  const { _sum: sums } = await usageHour.aggregate({ _sum: { requests: true } });
  return Number(sums.requests ?? 0);
}
