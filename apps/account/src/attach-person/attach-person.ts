import { GatewayError } from '@gateway/errors';
import { isUniqueConflict, newId } from '@gateway/persistence';
import type { AccountContext } from '../domain/account-context.ts';

/**
 * Lets a person act for an account that is there already. Throws `invalid_field` for a person who has another account, and
 * `not_found` for an unknown account.
 */
export async function attachPerson(
  context: Pick<AccountContext, 'database' | 'announceSessionChange'>,
  { issuer, subject, accountId }: { issuer: string; subject: string; accountId: string },
): Promise<{ personId: string }> {
  const { person, account } = context.database.acrossAccounts;
  if ((await account.count({ where: { id: accountId } })) === 0) throw new GatewayError('not_found');
  try {
    await person.create({ data: { id: newId(), accountId, issuer, subject } });
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
  }
  const found = await person.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (found?.accountId !== accountId) {
    throw new GatewayError('invalid_field', {
      param: 'subject',
      message: 'This person has another account.',
    });
  }
  context.announceSessionChange({ issuer, subject });
  return { personId: found.id };
}
