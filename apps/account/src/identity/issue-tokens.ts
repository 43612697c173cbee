import { createHash, randomBytes } from 'node:crypto';
import type { issuedDevice, IssuedTokens } from '@gateway/contracts';
import { newId } from '@gateway/persistence';
import { SignJWT } from 'jose';
import type { z } from 'zod';
import { hashKey, sealSecret } from '../common/secrets.ts';
import type { AccountModels } from '../persistence/account-database.ts';
import type { Identity } from './identity.ts';
import type { DeviceOwner } from './known-devices.ts';

/**
 * Lifetime of a login session. Refreshing the tokens of a session does not extend the session's lifetime.
 */
const loginSessionMs = 30 * 24 * 60 * 60 * 1000;
/**
 * Maximum number of login sessions per person. A new login beyond the maximum ends the person's oldest login
 * session.
 */
const loginSessionsPerUserMax = 50;
/** Number of replaced refresh tokens that are kept per login session, to detect the use of a replaced token. */
export const usedRefreshTokensMax = 50;

/** The client's tokens, encrypted for the edge gateway. */
export interface SealedTokens {
  readonly sealedTokens: string;
  readonly accessExpiresInSeconds: number;
  readonly refreshExpiresInSeconds: number;
  readonly email: string;
  readonly emailVerified: boolean;
}

/** The tokens and facts that are returned for a new or refreshed login session. */
export interface IssuedSession {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly refreshToken: string;
  /**
   * The device token of the browser. Null for a refreshed login session, because a refresh does not prove
   * knowledge of the password.
   */
  readonly deviceToken: string | null;
}

export interface LoginSession {
  readonly id: string;
  readonly userId: string;
  readonly expiresAt: Date;
}

const refreshTokenBytes = 32;

/**
 * Creates a refresh token, which consists of 256 random bits and a prefix that identifies the token type in
 * logs.
 */
export function createRefreshToken(): string {
  return `rt-svc-${randomBytes(refreshTokenBytes).toString('base64url')}`;
}

/** Computes the hash under which a refresh token is stored. */
export function hashRefreshToken(
  identity: Pick<Identity, 'refreshPepper'>,
  sha256Hex: string,
): Buffer<ArrayBuffer> {
  return hashKey(identity.refreshPepper, sha256Hex);
}

export function sha256HexOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Starts a login session. If the person has too many login sessions, the oldest login session ends. */
export async function beginLoginSession(
  tx: AccountModels,
  identity: Identity,
  userId: string,
  refreshToken: string,
): Promise<LoginSession> {
  const now = new Date();
  const older = await tx.identitySession.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    skip: loginSessionsPerUserMax - 1,
    select: { id: true },
  });
  if (older.length > 0) {
    await tx.identitySession.deleteMany({ where: { id: { in: older.map(({ id }) => id) } } });
  }
  return tx.identitySession.create({
    data: {
      id: newId(),
      userId,
      createdAt: now,
      expiresAt: new Date(now.getTime() + loginSessionMs),
      refreshTokens: {
        create: { hash: hashRefreshToken(identity, sha256HexOf(refreshToken)), createdAt: now },
      },
    },
  });
}

/**
 * Signs an access token for a login session. Encrypts the access token and the refresh token for the
 * requesting edge gateway.
 */
export async function sealTokens(
  identity: Identity,
  session: LoginSession,
  { email, emailVerified, refreshToken, deviceToken }: IssuedSession,
  recipientPublicKey: string,
): Promise<SealedTokens> {
  const leftSeconds = Math.floor((session.expiresAt.getTime() - Date.now()) / 1000);
  const accessExpiresInSeconds = Math.max(1, Math.min(identity.accessTokenSeconds, leftSeconds));
  const tokens: IssuedTokens = {
    accessToken: await signAccessToken(identity, session, accessExpiresInSeconds),
    refreshToken,
    deviceToken,
  };
  return {
    sealedTokens: sealSecret(JSON.stringify(tokens), recipientPublicKey),
    accessExpiresInSeconds,
    refreshExpiresInSeconds: Math.max(1, leftSeconds),
    email,
    emailVerified,
  };
}

/** Creates a device token, and encrypts it for the requesting edge gateway. */
export async function sealDevice(
  { devices }: Identity,
  owner: DeviceOwner,
  recipientPublicKey: string,
): Promise<string> {
  const issued: z.infer<typeof issuedDevice> = { deviceToken: await devices.issue(owner) };
  return sealSecret(JSON.stringify(issued), recipientPublicKey);
}

async function signAccessToken(
  { signingKeys, issuer, audience }: Identity,
  { id, userId }: LoginSession,
  lifetimeSeconds: number,
): Promise<string> {
  const { kid, privateKey } = await signingKeys.current();
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ sid: id })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(userId)
    .setJti(newId())
    .setIssuedAt(now)
    .setExpirationTime(now + lifetimeSeconds)
    .sign(privateKey);
}
