import { GatewayError } from '@gateway/errors';
import { closeEnvelope, forgetFields, openEnvelope } from '../encryption/envelope.ts';
import { parseEnvelope, writeAudit } from './credential-row.ts';
import type { CredentialRow } from '../persistence/vault-database.ts';
import type { CredentialsContext } from './manage-credentials.ts';

/** A position in the order of work: by key version, then by id. */
export interface RewrapCursor {
  readonly keyVersion: number;
  readonly id: string;
}

export interface RewrapRequest {
  /** The end of the previous batch. Null starts from the beginning. */
  readonly after: RewrapCursor | null;
  readonly rowsMax: number;
}

export interface RewrapReport {
  readonly rewrapped: number;
  /** Rows that do not decrypt because they were tampered with. They stay unchanged. */
  readonly failed: RewrapCursor[];
  /** The start of the next batch. Null after the last one. */
  readonly next: RewrapCursor | null;
  /** Rows that are not encrypted under the present key. */
  readonly left: number;
}

type RewrapContext = Pick<CredentialsContext, 'database' | 'keyRing' | 'keyVersions' | 'events'>;

/** A batch ends with the row during which this time passes, well before its caller times out. */
const batchMs = 4_000;

/**
 * Encrypts a batch of credentials again under the present key. Data keys and ciphertexts are new, since ciphertexts
 * are bound to the key version. Each row changes in its own transaction, together with its audit row, and only if it
 * is unchanged since it was read. So a batch can stop anywhere and continue, next to readers, writers and concurrent
 * runs.
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
    // The key is unavailable and the row is intact: the whole batch must be repeated.
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
    // The data key identifies the row that was read, since every write creates a new one.
    const { count } = await tx.credential.updateMany({ where: { id, wrappedDataKey }, data: envelope });
    if (count === 0) return false;
    await writeAudit(tx, { accountId, provider, credentialId: id, action: 'rewrap' });
    return true;
  });
}
