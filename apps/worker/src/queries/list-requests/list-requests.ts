import type { listRequests as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { entryFields, renderEntry } from '../render-request.ts';

/** Counting goes through the index row by row; a total says "at least" from here on (about 15 ms). */
export const totalMax = 100_000;

/** An account's requests, the newest first. `total` counts all of them, up to 100,000. */
export async function listRequests(
  database: TelemetryDatabase,
  { accountId, limit, offset }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const { requestLog } = database.forAccount(accountId);
  const [total, rows] = await Promise.all([
    requestLog.count({ take: totalMax }),
    requestLog.findMany({
      ...entryFields,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offset,
      take: limit,
    }),
  ]);
  return { total, requests: rows.map(renderEntry) };
}
