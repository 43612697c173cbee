import type { readContent as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { openContent } from '../../contents/content-seal.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

/** What a request said, as it was packed; null for what is not kept, or was sealed with a key that is no longer there. */
export async function readContent(
  database: TelemetryDatabase,
  keys: readonly Buffer[],
  { accountId, requestId }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const id = requestId.toLowerCase();
  const { requestContent } = database.forAccount(accountId);
  const row = await requestContent.findFirst({ where: { requestId: id, expiresAt: { gt: new Date() } } });
  if (row === null) return { content: null };
  const opened = openContent(keys, { accountId, requestId: id }, row.sealed);
  return {
    content: opened && { packed: opened.toString('base64'), expiresAt: row.expiresAt.toISOString() },
  };
}
