import type { Identity } from '../identity/identity.ts';
import { hashRefreshToken } from '../identity/issue-tokens.ts';

/**
 * Ends a session, on every gateway at once. One that has ended already stays so. In a transaction, since a refresh at the
 * same moment waits for what this holds while this waits for what it holds: the database refuses one, which is run again.
 */
export async function logOut(
  identity: Identity,
  request: { refreshSha256: string } | { sessionId: string },
): Promise<Record<string, never>> {
  const where =
    'sessionId' in request
      ? { id: request.sessionId }
      : { refreshTokens: { some: { hash: hashRefreshToken(identity, request.refreshSha256) } } };
  const session = await identity.database.transactionAcrossAccounts(async ({ identitySession }) => {
    const found = await identitySession.findFirst({ where, select: { id: true, userId: true } });
    if (found !== null) await identitySession.deleteMany({ where: { id: found.id } });
    return found;
  });
  if (session === null) return {};
  identity.countEvent('logged-out');
  identity.announceSessionChange({ issuer: identity.issuer, subject: session.userId });
  return {};
}
