import type { exportRequests as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { parseRequestTimeMs } from '../../domain/request-time.ts';
import type { TelemetryDatabase, TelemetryWhere } from '../../persistence/telemetry-database.ts';
import { chooseRequestFilter } from '../list-requests/choose-request-filter.ts';
import { entryFields, renderEntry } from '../render-request.ts';

/** The next of an account's requests that the filter lets through, the newest first, from the one before on. */
export async function exportRequests(
  database: TelemetryDatabase,
  { accountId, limit, before, filter }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const narrowed = chooseRequestFilter(filter);
  const rows = await database.forAccount(accountId).requestLog.findMany({
    ...entryFields,
    where: before === null ? narrowed : { AND: [narrowed, isBefore(before)] },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
  });
  return { requests: rows.map(renderEntry) };
}

/** By the index: by the time first, which the id begins with. */
function isBefore(id: string): TelemetryWhere {
  const at = new Date(parseRequestTimeMs(id) ?? 0);
  return { createdAt: { lte: at }, OR: [{ createdAt: { lt: at } }, { id: { lt: id } }] };
}
