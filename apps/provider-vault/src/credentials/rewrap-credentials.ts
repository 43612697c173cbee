import { GatewayError } from '@gateway/errors';
import { closeEnvelope, forgetFields, openEnvelope } from '../encryption/envelope.ts';
import { parseEnvelope, writeAudit } from './credential-row.ts';
import type { CredentialRow } from '../persistence/vault-database.ts';
import type { CredentialsContext } from './manage-credentials.ts';

/** A position in the processing order of the stored credentials. The order is by key version and then by id. */
export interface RewrapCursor {
  readonly keyVersion: number;
  readonly id: string;
}

export interface RewrapRequest {
  /** Position at which the previous batch ended. Null means the position before the first credential. */
  readonly after: RewrapCursor | null;
  readonly rowsMax: number;
}

export interface RewrapReport {
  readonly rewrapped: number;
  /**
   * The rows that cannot be decrypted because they were tampered with. The batch leaves tampered rows
   * unchanged.
   */
  readonly failed: RewrapCursor[];
  /** Position where the next batch starts. Null after the last batch. */
  readonly next: RewrapCursor | null;
  /** Number of database rows that are not encrypted under the current key. */
  readonly left: number;
}

type RewrapContext = Pick<CredentialsContext, 'database' | 'keyRing' | 'keyVersions' | 'events'>;

/** Time after which a batch stops at the current row, in milliseconds, well below the caller's timeout. */
const batchMs = 4_000;

/**
 * Re-encrypts a batch of credentials under the current key. Replaces data keys and ciphertexts, because
 * ciphertexts are bound to the key version. A separate transaction changes each database row together with
 * its audit row. A row is changed only if it has not changed since it was read. A batch can stop at any row
 * and resume later, even while other processes read, write and re-encrypt credentials.
 */
export async function rewrapCredentials(
  context: RewrapContext,
  { after, rowsMax }: RewrapRequest,
): Promise<RewrapReport> {
  const deadlineAt = performance.now() + batchMs;
  const [current] = await context.keyVersions.list();
  if (current === undefined)
    throw new GatewayError('service_unavailable', { detail: 'no key version is active' });
  const rows = await readOlder(context, current.version, after, rowsMax);
  const failed: RewrapCursor[] = [];
  let rewrapped = 0;
  let last: CredentialRow | undefined;
  for (const row of rows) {
    if (last !== undefined && performance.now() > deadlineAt) break;
    last = row;
    const outcome = await rewrapRow(context, current.version, row);
    if (outcome === 'failed') failed.push({ keyVersion: row.keyVersion, id: row.id });
    if (outcome === 'rewrapped') rewrapped += 1;
  }
  const left = await context.database.acrossAccounts.credential.count({
    where: { keyVersion: { lt: current.version } },
  });
  const hasMore = rows.length === rowsMax || last !== rows.at(-1);
  const next = last !== undefined && hasMore ? { keyVersion: last.keyVersion, id: last.id } : null;
  return { rewrapped, failed, next, left };
}

function readOlder(
  { database }: RewrapContext,
  version: number,
  after: RewrapCursor | null,
  rowsMax: number,
): Promise<CredentialRow[]> {
  const later = after && {
    OR: [{ keyVersion: { gt: after.keyVersion } }, { keyVersion: after.keyVersion, id: { gt: after.id } }],
  };
  return database.acrossAccounts.credential.findMany({
    where: { keyVersion: { lt: version }, ...later },
    orderBy: [{ keyVersion: 'asc' }, { id: 'asc' }],
    take: rowsMax,
  });
}

async function rewrapRow(
  context: RewrapContext,
  version: number,
  row: CredentialRow,
): Promise<'rewrapped' | 'changed' | 'failed'> {
  const { accountId, provider, baseUrl } = row;
  const place = { accountId, provider, baseUrl };
  let fields;
  try {
    fields = await openEnvelope(context.keyRing, place, parseEnvelope(row));
  } catch (error) {
    // The row is intact but its key is unavailable, so the whole batch must be repeated.
    if (error instanceof GatewayError) throw error;
    context.events.countRewrapping('failed');
    return 'failed';
  }
  try {
    const envelope = await closeEnvelope(context.keyRing, version, place, fields);
    const changed = await replaceEnvelope(context, row, envelope);
    if (!changed) return 'changed';
    context.events.countRewrapping('rewrapped');
    return 'rewrapped';
  } finally {
    forgetFields(fields);
  }
}

function replaceEnvelope(
  { database }: RewrapContext,
  { id, accountId, provider, wrappedDataKey }: CredentialRow,
  envelope: Awaited<ReturnType<typeof closeEnvelope>>,
): Promise<boolean> {
  return database.transactionForAccount(accountId, async (tx) => {
    // The update applies only if the database row still has the data key that was read.
    // Every write of a database row creates a new data key.
    const { count } = await tx.credential.updateMany({ where: { id, wrappedDataKey }, data: envelope });
    if (count === 0) return false;
    await writeAudit(tx, { accountId, provider, credentialId: id, action: 'rewrap' });
    return true;
  });
}
