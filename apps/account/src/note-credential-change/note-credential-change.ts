import type { AccountContext } from '../domain/account-context.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';

/**
 * A credential of the account was saved or deleted. Gateways hear so from the vault; this is for those that hear nothing:
 * they see the account's epoch in Redis, and use none of its credentials before they have asked. Throws `not_found` for an
 * account that is not there.
 */
export async function noteCredentialChange(
  context: Pick<AccountContext, 'database' | 'announceAccountChange'>,
  { accountId }: { accountId: string },
): Promise<Record<string, never>> {
  const epoch = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    // Grants name the latest epoch that they know: one that they never named would be asked about again and again.
    await tx.routingPreferences.update({ where: { accountId }, data: { epoch } });
    return epoch;
  });
  context.announceAccountChange({ accountId, epoch });
  return {};
}
