import { GatewayError } from '@gateway/errors';
import type { AccountContext } from '../domain/account-context.ts';
import { revokedKeysMax } from '../domain/bounds.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import type { AccountModels } from '../persistence/account-database.ts';

/** Revokes a key. Throws `not_found` for one that is revoked already, another account's, or none. */
export async function revokeKey(
  context: Pick<AccountContext, 'database' | 'announceKeyChange'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<{ keyId: string }> {
  const epoch = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const { count } = await tx.apiKey.updateMany({
      where: { id: keyId, revokedAt: null },
      data: { revokedAt: new Date(), epoch },
    });
    if (count === 0) throw new GatewayError('not_found');
    await deleteOldest(tx);
    return epoch;
  });
  context.announceKeyChange({ accountId, keyId, epoch, revoked: true });
  return { keyId };
}

/** Keeps what revoked keys take within its bound: one is revoked at a time, so one at a time may have to go. */
async function deleteOldest(tx: AccountModels): Promise<void> {
  const [oldest] = await tx.apiKey.findMany({
    where: { revokedAt: { not: null } },
    orderBy: [{ revokedAt: 'desc' }, { id: 'desc' }],
    skip: revokedKeysMax,
    take: 1,
    select: { id: true },
  });
  if (oldest) await tx.apiKey.delete({ where: { id: oldest.id } });
}
