import type {
  Actor,
  CredentialSummary,
  reportCredential as reportCredentialContract,
} from '@gateway/contracts';
import type { ParsedRequestOf } from '@gateway/messaging';
import { keyRefusal, keyRefusalOf, renderHealth } from './credential-health.ts';
import { credentialsMax, renderSummary, summaryColumns, writeAudit } from './credential-row.ts';
import { queueAudit } from '../audit/audit-outbox.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { KeyVersions } from '../keys/key-versions.ts';
import type { SealingKeys } from '../keys/sealing-keys.ts';
import type { VaultDatabase } from '../persistence/vault-database.ts';
import type { CredentialEvents } from './credential-events.ts';

export interface CredentialsContext {
  readonly database: VaultDatabase;
  readonly keyRing: KeyRing;
  readonly keyVersions: KeyVersions;
  readonly sealingKeys: SealingKeys;
  readonly events: Pick<CredentialEvents, 'countOpening' | 'countRewrapping' | 'announceChange'>;
}

/** Lists the account's provider credentials, sorted by provider, without their secrets. */
export async function listCredentials(
  { database }: Pick<CredentialsContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ credentials: CredentialSummary[] }> {
  const rows = await database.forAccount(accountId).credential.findMany({
    orderBy: { provider: 'asc' },
    take: credentialsMax,
    select: summaryColumns,
  });
  return { credentials: rows.map(renderSummary) };
}

/**
 * Stores whether a provider accepts a key of a credential. Only the HTTP status is stored, because the provider's
 * error text can quote the key. A report about a replaced version changes nothing: a late rejection says nothing about
 * the current key. The success of a key clears only the errors of the same key, and the rejection of an additional key
 * leaves the errors of the main key.
 */
export async function reportCredential(
  { database }: Pick<CredentialsContext, 'database'>,
  { accountId, provider, refusedStatus, key, version }: ParsedRequestOf<typeof reportCredentialContract>,
): Promise<{ changed: boolean }> {
  const { credential } = database.forAccount(accountId);
  const row = { provider, ...(version === null ? {} : whereVersion(new Date(version))) };
  if (key > 0) {
    const ofKey = keyRefusalOf(key);
    const isReplaceable =
      refusedStatus === null
        ? { lastError: { startsWith: ofKey } }
        : { OR: [{ lastError: null }, { lastError: { startsWith: keyRefusal } }] };
    const lastError = refusedStatus === null ? null : `${ofKey} ${refusedStatus}.`;
    const { count } = await credential.updateMany({
      where: { AND: [row, isReplaceable] },
      data: { lastError },
    });
    return { changed: count > 0 };
  }
  const outcome = refusedStatus === null ? 'accepted' : 'refused';
  const { verifiedAt, lastError } = renderHealth({ outcome, status: refusedStatus });
  const { count } = await credential.updateMany({ where: row, data: { verifiedAt } });
  const ofMainKey = lastError === null ? { NOT: { lastError: { startsWith: keyRefusal } } } : {};
  await credential.updateMany({ where: { ...row, ...ofMainKey }, data: { lastError } });
  return { changed: count > 0 };
}

const whereVersion = (at: Date) => ({ OR: [{ rotatedAt: at }, { rotatedAt: null, createdAt: at }] });

/**
 * Deletes the account's credential for a provider, together with the credential's data key. The audit rows of
 * the credential are kept. Announces the deletion even if the credential does not exist, because an earlier
 * call may have failed after its commit.
 */
export async function deleteCredential(
  context: Pick<CredentialsContext, 'database' | 'events'>,
  { accountId, provider, actor }: { accountId: string; provider: string; actor?: Actor | undefined },
): Promise<{ deleted: boolean }> {
  const deleted = await context.database.transactionForAccount(accountId, async (tx) => {
    const row = await tx.credential.findUnique({
      where: { accountId_provider: { accountId, provider } },
      select: { id: true },
    });
    if (row === null) return false;
    const { count } = await tx.credential.deleteMany({ where: { id: row.id } });
    if (count === 0) return false;
    await writeAudit(tx, { accountId, provider, credentialId: row.id, action: 'delete' });
    await queueAudit(tx, { accountId, provider, action: 'provider.deleted', changes: null, actor });
    return true;
  });
  context.events.announceChange({ accountId, provider });
  return { deleted };
}

/**
 * Deletes all credentials of an account in one transaction, and blocks new credentials. The audit rows of the
 * credentials are kept. The deletion is idempotent, so it can be retried until it succeeds.
 */
export async function forgetAccount(
  context: Pick<CredentialsContext, 'database' | 'events'>,
  { accountId }: { accountId: string },
): Promise<{ credentials: number }> {
  const rows = await context.database.transactionForAccount(accountId, async (tx) => {
    // The first write of the transaction inserts or updates the deletion mark.
    // The lock on the deletion mark waits for transactions that are writing credentials of the account.
    const forgotten = { where: { accountId }, create: { accountId }, update: {} };
    await tx.forgottenAccount.upsert({ ...forgotten, select: { accountId: true } });
    const found = await tx.credential.findMany({ select: { id: true, provider: true } });
    await tx.credential.deleteMany({ where: { id: { in: found.map(({ id }) => id) } } });
    await tx.auditOutboxEvent.deleteMany({});
    for (const { id, provider } of found) {
      await writeAudit(tx, { accountId, provider, credentialId: id, action: 'delete' });
    }
    return found;
  });
  for (const { provider } of rows) context.events.announceChange({ accountId, provider });
  return { credentials: rows.length };
}
