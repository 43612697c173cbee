import type { Account } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountContext } from '../domain/account-context.ts';
import { renderAccount } from '../domain/render-account.ts';

/** Throws `not_found` for an account that is not there. */
export async function getAccount(
  { database }: Pick<AccountContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ account: Account }> {
  const row = await database
    .forAccount(accountId)
    .account.findUnique({ where: { id: accountId }, include: { policy: true } });
  if (!row?.policy) throw new GatewayError('not_found');
  return { account: renderAccount(row, row.policy) };
}
