import type {
  readContent as readContentContract,
  storeContent as storeContentContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { openContent, sealContent } from './content-seal.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

/**
 * Encryption keys for request contents. The first encryption key encrypts new contents, and any of the keys
 * can decrypt stored contents.
 */
export type ContentKeys = readonly Buffer[];
export const CONTENT_KEYS = Symbol('ContentKeys');

/**
 * Encrypts and stores a request's content. A request's content stays compressed until a client reads the
 * content.
 */
export async function storeContent(
  database: TelemetryDatabase,
  keys: ContentKeys,
  { accountId, requestId, expiresAt, packed }: ParsedRequestOf<typeof storeContentContract>,
): Promise<ReplyOf<typeof storeContentContract>> {
  const [key] = keys;
  if (key === undefined) throw new Error('no key for contents is configured');
  const sealed = sealContent(key, { accountId, requestId }, Buffer.from(packed, 'base64'));
  return { isStored: await insertContent(database, { accountId, requestId, expiresAt, sealed }) };
}

/**
 * Reads a request's content in compressed form. Returns null if no content is stored, or if the key that
 * encrypted the content is no longer configured.
 */
export async function readContent(
  database: TelemetryDatabase,
  keys: ContentKeys,
  { accountId, requestId }: ParsedRequestOf<typeof readContentContract>,
): Promise<ReplyOf<typeof readContentContract>> {
  const id = requestId.toLowerCase();
  const { requestContent } = database.forAccount(accountId);
  const row = await requestContent.findFirst({ where: { requestId: id, expiresAt: { gt: new Date() } } });
  if (row === null) return { content: null };
  const opened = openContent(keys, { accountId, requestId: id }, row.sealed);
  return {
    content: opened && { packed: opened.toString('base64'), expiresAt: row.expiresAt.toISOString() },
  };
}

/** The stored content of a request. */
interface StoredContent {
  readonly accountId: string;
  readonly requestId: string;
  /** The expiry of the content, as RFC 3339 in UTC. */
  readonly expiresAt: string;
  readonly sealed: Uint8Array;
}

/**
 * Maximum total size in bytes of an account's request contents. Each hour, the worker deletes the oldest
 * contents above this size.
 */
const accountBytesMax = 1024 * 1024 * 1024;

/**
 * Stores a request's content, once per request. Returns false if the account is deleted, or if the request
 * already has stored content.
 */
async function insertContent(
  database: TelemetryDatabase,
  { accountId, requestId, expiresAt, sealed }: StoredContent,
): Promise<boolean> {
  const inserted = await database.acrossAccounts.$executeRawUnsafe(
    `INSERT INTO request_contents (account_id, request_id, expires_at, sealed)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, $4::bytea
     WHERE NOT EXISTS (SELECT FROM forgotten_accounts WHERE account_id = $1::uuid)
     ON CONFLICT DO NOTHING`,
    accountId,
    requestId,
    expiresAt,
    sealed,
  );
  return inserted > 0;
}

/** Lists the accounts that have stored request contents. */
export async function listAccountsWithContents(database: TelemetryDatabase): Promise<string[]> {
  const rows = await database.acrossAccounts.$queryRawUnsafe<{ account_id: string }[]>(
    'SELECT DISTINCT account_id::text FROM request_contents',
  );
  return rows.map(({ account_id }) => account_id);
}

/**
 * Deletes request contents that exceed the account's retention period, and the oldest contents above the size
 * limit. If the account no longer allows the storage of contents, all contents of the account are deleted.
 * Returns the number of deleted contents.
 */
export async function expireContents(
  database: TelemetryDatabase,
  accountId: string,
  { isAllowed, before }: { readonly isAllowed: boolean; readonly before: Date },
): Promise<number> {
  const client = database.acrossAccounts;
  if (!isAllowed) {
    return client.$executeRawUnsafe('DELETE FROM request_contents WHERE account_id = $1::uuid', accountId);
  }
  // The first twelve hex digits of a request id encode the time of the request.
  // Every request id from before a given time is smaller than the time's twelve hex digits followed by zeros.
  const oldest = `${before.getTime().toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
  return client.$executeRawUnsafe(
    `DELETE FROM request_contents WHERE account_id = $1::uuid AND (
       expires_at <= now() OR request_id < $2::uuid OR request_id IN (
         SELECT request_id FROM (
           SELECT request_id, sum(octet_length(sealed)) OVER (ORDER BY request_id DESC) AS kept_bytes
           FROM request_contents WHERE account_id = $1::uuid
         ) AS by_age WHERE kept_bytes > ${accountBytesMax}
       )
     )`,
    accountId,
    oldest,
  );
}
