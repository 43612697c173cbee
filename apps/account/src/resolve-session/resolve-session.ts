import type { ResolvedSession } from '@gateway/contracts';
import type { AccountContext } from '../domain/account-context.ts';

export interface SessionName {
  readonly issuer: string;
  readonly subject: string;
  readonly sessionId: string | null;
}

/**
 * Whose session a token is of that the edge has verified. Null for one of the embedded identity that has ended: another
 * issuer's sessions last as long as their tokens.
 */
export async function resolveSession(
  { database, identity }: Pick<AccountContext, 'database' | 'identity'>,
  { issuer, subject, sessionId }: SessionName,
): Promise<{ session: ResolvedSession | null }> {
  // Across accounts: the session is what tells the account.
  const { identitySession, person } = database.acrossAccounts;
  if (identity?.issuer === issuer) {
    if (sessionId === null) return { session: null };
    const where = { id: sessionId, userId: subject, expiresAt: { gt: new Date() } };
    if ((await identitySession.count({ where })) === 0) return { session: null };
  }
  const found = await person.findUnique({ where: { issuer_subject: { issuer, subject } } });
  return { session: { accountId: found?.accountId ?? null, personId: found?.id ?? null } };
}
