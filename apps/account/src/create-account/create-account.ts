import { isUniqueConflict, newId } from '@gateway/persistence';
import type { AccountContext } from '../domain/account-context.ts';

/** Creates an account with the default policy and preferences, or finds the one that an operator made by that name. */
export async function createAccount(
  { database }: Pick<AccountContext, 'database'>,
  request: { name: string; isDemo: boolean },
): Promise<{ accountId: string; created: boolean }> {
  const accounts = database.acrossAccounts.account;
  const provisionedAs = `operator:${request.name}`;
  const find = () => accounts.findUnique({ where: { provisionedAs }, select: { id: true } });
  const found = await find();
  if (found) return { accountId: found.id, created: false };
  try {
    const { id } = await accounts.create({
      data: { id: newId(), ...request, provisionedAs, policy: { create: {} }, routing: { create: {} } },
      select: { id: true },
    });
    return { accountId: id, created: true };
  } catch (error) {
    const other = isUniqueConflict(error) ? await find() : null;
    if (other === null) throw error;
    return { accountId: other.id, created: false };
  }
}
