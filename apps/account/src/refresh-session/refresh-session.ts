import { GatewayError } from '@gateway/errors';
import { usedRefreshTokensMax } from '../identity/bounds.ts';
import type { Identity } from '../identity/identity.ts';
import {
  createRefreshToken,
  hashRefreshToken,
  sealTokens,
  sha256HexOf,
  type SealedTokens,
  type StandingSession,
} from '../identity/issue-tokens.ts';
import type { AccountModels } from '../persistence/account-database.ts';

type Outcome =
  | { readonly kind: 'refreshed'; readonly session: StandingSession; readonly email: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'reused'; readonly userId: string };

/**
 * Replaces a refresh token by a new one. One that comes a second time was stolen, from its holder or by it, and nobody can
 * tell which: the session ends (RFC 9700 §4.14.2). Throws `invalid_refresh_token`.
 */
export async function refreshSession(
  identity: Identity,
  request: { refreshSha256: string; recipientPublicKey: string },
): Promise<SealedTokens> {
  const refreshToken = createRefreshToken();
  const hash = hashRefreshToken(identity, request.refreshSha256);
  const newHash = hashRefreshToken(identity, sha256HexOf(refreshToken));
  const outcome = await identity.database.transactionAcrossAccounts((tx) => replaceToken(tx, hash, newHash));
  if (outcome.kind === 'reused') {
    identity.countEvent('reused');
    identity.announceSessionChange({ issuer: identity.issuer, subject: outcome.userId });
  }
  if (outcome.kind !== 'refreshed') throw new GatewayError('invalid_refresh_token');
  identity.countEvent('refreshed');
  const person = { email: outcome.email, refreshToken };
  return sealTokens(identity, outcome.session, person, request.recipientPublicKey);
}

/** Answers instead of throwing, so that the end of a session is committed. */
async function replaceToken(
  tx: AccountModels,
  hash: Buffer<ArrayBuffer>,
  newHash: Buffer<ArrayBuffer>,
): Promise<Outcome> {
  const now = new Date();
  const found = await tx.refreshToken.findUnique({
    where: { hash },
    include: { session: { include: { user: { select: { email: true } } } } },
  });
  if (found === null || found.session.expiresAt <= now) return { kind: 'unknown' };
  const { session } = found;
  // Of two that come at once, the second waits here for the first, and then finds its token used.
  const { count } = await tx.refreshToken.updateMany({
    where: { hash, usedAt: null },
    data: { usedAt: now },
  });
  if (count === 0) {
    await tx.identitySession.deleteMany({ where: { id: session.id } });
    return { kind: 'reused', userId: session.userId };
  }
  await tx.refreshToken.create({ data: { hash: newHash, sessionId: session.id, createdAt: now } });
  await deleteOldest(tx, session.id);
  return { kind: 'refreshed', session, email: session.user.email };
}

async function deleteOldest(tx: AccountModels, sessionId: string): Promise<void> {
  const oldest = await tx.refreshToken.findMany({
    where: { sessionId, usedAt: { not: null } },
    orderBy: { createdAt: 'desc' },
    skip: usedRefreshTokensMax,
    select: { hash: true },
  });
  if (oldest.length > 0)
    await tx.refreshToken.deleteMany({ where: { hash: { in: oldest.map(({ hash }) => hash) } } });
}
