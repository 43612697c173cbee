import type { Identity } from '../identity/identity.ts';
import { hashRefreshToken } from '../identity/issue-tokens.ts';

/** Ends a session, on every gateway at once. One that has ended already stays so. */
export async function logOut(
  identity: Identity,
  request: { refreshSha256: string } | { sessionId: string },
): Promise<Record<string, never>> {
  const sessions = identity.database.acrossAccounts.identitySession;
  const where =
    'sessionId' in request
      ? { id: request.sessionId }
      : { refreshTokens: { some: { hash: hashRefreshToken(identity, request.refreshSha256) } } };
  const session = await sessions.findFirst({ where, select: { id: true, userId: true } });
  if (session === null) return {};
  await sessions.deleteMany({ where: { id: session.id } });
  identity.countEvent('logged-out');
  identity.announceSessionChange({ issuer: identity.issuer, subject: session.userId });
  return {};
}
