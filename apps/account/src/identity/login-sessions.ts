import { GatewayError } from '@gateway/errors';
import type { RequestOrigin, ResolvedLoginSession } from '@gateway/contracts';
import { auditUser } from './audit-person.ts';
import {
  createRefreshToken,
  hashRefreshToken,
  sealTokens,
  sha256HexOf,
  usedRefreshTokensMax,
  type SealedTokens,
  type LoginSession,
} from './issue-tokens.ts';
import type { Identity } from './identity.ts';
import type { AccountDatabase, AccountModels } from '../persistence/account-database.ts';

interface Person {
  readonly email: string;
  readonly emailVerifiedAt: Date | null;
}

type Outcome =
  | { readonly kind: 'refreshed'; readonly session: LoginSession; readonly person: Person }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'reused'; readonly user: { readonly id: string; readonly email: string } };

/**
 * Replaces a refresh token with a new one. A second use of a refresh token ends the login session, because
 * the token may have been stolen (RFC 9700 §4.14.2). The service cannot distinguish the owner of the token
 * from a thief. Throws `invalid_refresh_token`.
 */
export async function refreshLoginSession(
  identity: Identity,
  request: { refreshSha256: string; recipientPublicKey: string; origin?: RequestOrigin | undefined },
): Promise<SealedTokens> {
  const refreshToken = createRefreshToken();
  const hash = hashRefreshToken(identity, request.refreshSha256);
  const newHash = hashRefreshToken(identity, sha256HexOf(refreshToken));
  const outcome = await identity.database.transactionAcrossAccounts(async (tx) => {
    const replaced = await replaceToken(tx, hash, newHash);
    if (replaced.kind === 'reused')
      await auditUser(tx, identity, replaced.user, {
        action: 'session.refresh_token_reused',
        origin: request.origin,
      });
    return replaced;
  });
  if (outcome.kind === 'reused') {
    identity.countEvent('reused');
    identity.announceLoginSessionChange({ issuer: identity.issuer, subject: outcome.user.id });
  }
  if (outcome.kind !== 'refreshed') throw new GatewayError('invalid_refresh_token');
  identity.countEvent('refreshed');
  const { email, emailVerifiedAt } = outcome.person;
  const issued = { email, emailVerified: emailVerifiedAt !== null, refreshToken, deviceToken: null };
  return sealTokens(identity, outcome.session, issued, request.recipientPublicKey);
}

/** Returns an outcome instead of throwing, because an error would roll back the end of the login session. */
async function replaceToken(
  tx: AccountModels,
  hash: Buffer<ArrayBuffer>,
  newHash: Buffer<ArrayBuffer>,
): Promise<Outcome> {
  const now = new Date();
  const found = await tx.refreshToken.findUnique({
    where: { hash },
    include: { session: { include: { user: { select: { email: true, emailVerifiedAt: true } } } } },
  });
  if (found === null || found.session.expiresAt <= now) return { kind: 'unknown' };
  const { session } = found;
  // A concurrent request with the same refresh token waits for this lock, and then finds that the token has been used.
  const { count } = await tx.refreshToken.updateMany({
    where: { hash, usedAt: null },
    data: { usedAt: now },
  });
  if (count === 0) {
    await tx.identitySession.deleteMany({ where: { id: session.id } });
    return { kind: 'reused', user: { id: session.userId, email: session.user.email } };
  }
  await tx.refreshToken.create({ data: { hash: newHash, sessionId: session.id, createdAt: now } });
  await deleteOldest(tx, session.id);
  return { kind: 'refreshed', session, person: session.user };
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

interface LoginSessionName {
  readonly issuer: string;
  readonly subject: string;
  readonly sessionId: string | null;
}

/**
 * Returns the account and the user of a login session. The edge gateway has already verified the session
 * token. Returns null if the embedded identity service has ended the login session. A login session from an
 * external issuer lasts as long as its token.
 */
export async function resolveLoginSession(
  { database, identity }: { readonly database: AccountDatabase; readonly identity: Identity | null },
  { issuer, subject, sessionId }: LoginSessionName,
): Promise<{ session: ResolvedLoginSession | null }> {
  // The query covers all accounts, because the account is not known before the login session is found.
  const { identitySession, person } = database.acrossAccounts;
  if (identity?.issuer === issuer) {
    if (sessionId === null) return { session: null };
    const where = { id: sessionId, userId: subject, expiresAt: { gt: new Date() } };
    if ((await identitySession.count({ where })) === 0) return { session: null };
  }
  const found = await person.findUnique({ where: { issuer_subject: { issuer, subject } } });
  return { session: { accountId: found?.accountId ?? null, personId: found?.id ?? null } };
}

/**
 * Ends a login session on every gateway. Ending a login session twice has no further effect. A concurrent token
 * refresh can cause a deadlock in the database. To resolve a deadlock, the database aborts one transaction, and the
 * aborted transaction is retried.
 */
export async function logOut(
  identity: Identity,
  request: ({ refreshSha256: string } | { sessionId: string }) & { origin?: RequestOrigin | undefined },
): Promise<Record<string, never>> {
  const where =
    'sessionId' in request
      ? { id: request.sessionId }
      : { refreshTokens: { some: { hash: hashRefreshToken(identity, request.refreshSha256) } } };
  const session = await identity.database.transactionAcrossAccounts(async (tx) => {
    const found = await tx.identitySession.findFirst({ where, include: { user: true } });
    if (found === null) return null;
    await tx.identitySession.deleteMany({ where: { id: found.id } });
    await auditUser(tx, identity, found.user, { action: 'session.signed_out', origin: request.origin });
    return found;
  });
  if (session === null) return {};
  identity.countEvent('logged-out');
  identity.announceLoginSessionChange({ issuer: identity.issuer, subject: session.userId });
  return {};
}
