import type { getRequest as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { parseRequestTimeMs } from '../../domain/request-time.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { renderDetail, storedContext } from '../render-request.ts';

/** One request whole, or null: for another account's as for one that never was. */
export async function getRequest(
  database: TelemetryDatabase,
  { accountId, requestId }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const id = requestId.toLowerCase();
  const timeMs = parseRequestTimeMs(id);
  if (timeMs === null) return { request: null };
  // The time inside the id names the partition.
  const row = await database
    .forAccount(accountId)
    .requestLog.findUnique({ where: { id_createdAt: { id, createdAt: new Date(timeMs) } } });
  if (row === null) return { request: null };
  const { session = null, blocks = [] } = storedContext.parse(row.context) ?? {};
  return { request: renderDetail(row), session, blocks };
}
