import type { VaultContext } from '../domain/vault-context.ts';
import { writeAudit } from '../persistence/write-audit.ts';

/**
 * Deletes every credential of an account, in one transaction, and takes none for it from then on. The audit rows stay.
 * Doing it again finds nothing and
 * changes nothing, so that whoever deletes an account may ask until there is an answer.
 */
export async function forgetAccount(
  context: Pick<VaultContext, 'database' | 'announceCredentialChange'>,
  { accountId }: { accountId: string },
): Promise<{ credentials: number }> {
  const rows = await context.database.transactionForAccount(accountId, async (tx) => {
    // First, since it waits for whoever stores a credential at this moment.
    const forgotten = { where: { accountId }, create: { accountId }, update: {} };
    await tx.forgottenAccount.upsert({ ...forgotten, select: { accountId: true } });
    const found = await tx.credential.findMany({ select: { id: true, provider: true } });
    await tx.credential.deleteMany({ where: { id: { in: found.map(({ id }) => id) } } });
    for (const { id, provider } of found) {
      await writeAudit(tx, { accountId, provider, credentialId: id, action: 'delete' });
    }
    return found;
  });
  for (const { provider } of rows) context.announceCredentialChange({ accountId, provider });
  return { credentials: rows.length };
}
