import type { OwnAccount } from '@gateway/contracts';
import type { AccountDatabase } from '../persistence/account-database.ts';
import type { Identity } from './identity.ts';

/**
 * Describes the login of a person to an account. Returns null if the person does not exist, belongs to another
 * account, or signs in with an external issuer.
 */
export async function describePerson(
  database: AccountDatabase,
  identity: Pick<Identity, 'issuer'> | null,
  { accountId, personId }: { accountId: string; personId: string | null },
): Promise<NonNullable<OwnAccount['person']> | null> {
  if (personId === null || identity === null) return null;
  const where = { id: personId, accountId, issuer: identity.issuer };
  const person = await database.forAccount(accountId).person.findFirst({ where });
  if (person === null) return null;
  const user = await database.acrossAccounts.identityUser.findUnique({ where: { id: person.subject } });
  return user && { email: user.email, email_verified: user.emailVerifiedAt !== null };
}
