import type { Actor, CredentialSummary } from '@gateway/contracts';
import { renderHealth } from './credential-health.ts';
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

interface CredentialReport {
  readonly accountId: string;
  readonly provider: string;
  /**
   * The HTTP status with which the provider rejected the credential. Null if the provider accepts the
   * credential.
   */
  readonly refusedStatus: number | null;
}

/**
 * Stores whether a provider accepts a credential. Only the HTTP status is stored, because the provider's
 * error text can quote the key.
 */
export async function reportCredential(
  { database }: Pick<CredentialsContext, 'database'>,
  { accountId, provider, refusedStatus }: CredentialReport,
): Promise<{ changed: boolean }> {
  const outcome = refusedStatus === null ? 'accepted' : 'refused';
  const { count } = await database.forAccount(accountId).credential.updateMany({
    where: { provider },
    data: renderHealth({ outcome, status: refusedStatus }),
  });
  return { changed: count > 0 };
}

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
