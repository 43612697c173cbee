import type { listRequests as contract, RequestFilter } from '@gateway/contracts';
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
 * 100,000 where something else than a key or an error narrows the list.
 */
export async function listRequests(
  database: TelemetryDatabase,
  { accountId, limit, offset, filter }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const models = database.forAccount(accountId);
  const where = chooseRequestFilter(filter);
  const [total, rows] = await Promise.all([
    countRequests(models, filter, where),
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

/** A whole log is counted by its sums; so is what one key asked, and what failed. */
async function countRequests(
  { requestLog, usageHour }: TelemetryModels,
  filter: RequestFilter,
  where: TelemetryWhere,
): Promise<number> {
  const { keyId, status, ...others } = filter;
  const isSummed = status === undefined || status === 'error';
  if (!isSummed || Object.values(others).some((value) => value !== undefined))
    return requestLog.count({ where, take: totalMax });
  const { _sum: sums } = await usageHour.aggregate({
    ...(keyId === undefined ? {} : { where: { keyId } }),
    _sum: { requests: true, errors: true },
  });
  return Number((status === 'error' ? sums.errors : sums.requests) ?? 0);
}
