import type { AccountDatabase } from '../persistence/account-database.ts';
import type { WriteLastUsed } from './last-used-recorder.ts';

const oncePerMs = 60_000;

/** Replicas record the same key's uses: the condition keeps them, too, to one write a minute. */
export function writeLastUsedTo(database: AccountDatabase): WriteLastUsed {
  return async (keyIds, usedAt) => {
    const before = new Date(usedAt.getTime() - oncePerMs);
    await database.acrossAccounts.apiKey.updateMany({
      where: { id: { in: [...keyIds] }, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] },
      data: { lastUsedAt: usedAt },
    });
  };
}
