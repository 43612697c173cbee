import type { VaultContext } from '../domain/vault-context.ts';
import { writeAudit } from '../persistence/write-audit.ts';

/** Deletes the account's credential for a provider: the row and its data key are gone, the audit rows stay. */
export async function deleteCredential(
  context: Pick<VaultContext, 'database' | 'announceCredentialChange'>,
  { accountId, provider }: { accountId: string; provider: string },
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
    return true;
  });
  if (deleted) context.announceCredentialChange({ accountId, provider });
  return { deleted };
}
