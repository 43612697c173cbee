import type { AccountDeletion } from '@gateway/contracts';
import { renderDeletion, withSteps } from '../delete-account/render-deletion.ts';
import type { AccountContext } from '../domain/account-context.ts';

/** The receipt of a deletion. Whoever knows its id may read it: the account is gone that could be asked for a key. */
export async function getAccountDeletion(
  { database }: Pick<AccountContext, 'database'>,
  { deletionId }: { deletionId: string },
): Promise<{ deletion: AccountDeletion | null }> {
  const where = { id: deletionId };
  const row = await database.acrossAccounts.accountDeletion.findUnique({ where, include: withSteps });
  return { deletion: row && renderDeletion(row) };
}
