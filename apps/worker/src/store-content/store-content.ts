import type { storeContent as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { sealContent } from '../contents/content-seal.ts';
import { insertContent } from '../persistence/request-contents.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

/** Keeps what a request said, encrypted. It is still compressed: nobody looks into it before it is asked for. */
export async function storeContent(
  database: TelemetryDatabase,
  keys: readonly Buffer[],
  { accountId, requestId, expiresAt, packed }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const [key] = keys;
  if (key === undefined) throw new Error('there is no key for contents');
  const sealed = sealContent(key, { accountId, requestId }, Buffer.from(packed, 'base64'));
  return { isStored: await insertContent(database, { accountId, requestId, expiresAt, sealed }) };
}
