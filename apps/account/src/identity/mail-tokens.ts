import { hash as digest, randomBytes } from 'node:crypto';
import { hashKey } from '../common/secrets.ts';
import type { AccountDatabase, AccountModels } from '../persistence/account-database.ts';

/** The purpose of a link in an email. */
export type MailPurpose = 'reset-password' | 'verify-email';

const tokenBytes = 32;
const hourMs = 60 * 60 * 1000;

/** How long an emailed link is valid, in milliseconds, by purpose of the link. */
export const linkLifetimeMs: Readonly<Record<MailPurpose, number>> = {
  'reset-password': hourMs,
  'verify-email': 24 * hourMs,
};

/** How long a link from the operator's command line is valid, in milliseconds. */
export const operatorLinkLifetimeMs = 24 * hourMs;

/** Maximum number of valid links of one kind per person. Each additional link invalidates the oldest link. */
const tokensPerPurposeMax = 5;

export interface NewMailToken {
  readonly userId: string;
  readonly purpose: MailPurpose;
  readonly lifetimeMs: number;
  /** Whether the token is sent only to the person's mailbox. */
  readonly provesEmail: boolean;
}

/**
 * Creates a token, which consists of 256 random bits and a prefix that identifies the kind of token. The
 * database stores only the hash of the token.
 */
export async function createMailToken(
  database: AccountDatabase,
  pepper: Buffer,
  { userId, purpose, lifetimeMs, provesEmail }: NewMailToken,
): Promise<string> {
  const token = `mt-svc-${randomBytes(tokenBytes).toString('base64url')}`;
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await database.transactionAcrossAccounts(async (tx) => {
    const older = await tx.identityMailToken.findMany({
      where: { userId, purpose },
      orderBy: { createdAt: 'desc' },
      skip: tokensPerPurposeMax - 1,
      select: { hash: true },
    });
    await tx.identityMailToken.deleteMany({ where: { hash: { in: older.map(({ hash }) => hash) } } });
    await tx.identityMailToken.create({
      data: { hash: hashMailToken(pepper, token), userId, purpose, provesEmail, createdAt: now, expiresAt },
    });
  });
  return token;
}

/** Finds the person and the purpose of a valid token. Returns null for an invalid token. */
export function findMailToken(
  database: AccountDatabase,
  pepper: Buffer,
  token: string,
  purpose: MailPurpose,
) {
  return database.acrossAccounts.identityMailToken.findFirst({
    where: { hash: hashMailToken(pepper, token), purpose, expiresAt: { gt: new Date() } },
    include: { user: true },
  });
}

/**
 * Deletes a token, and all other tokens of the person for the same purpose. Returns false if a concurrent
 * call has already used the token.
 */
export async function useMailToken(
  tx: AccountModels,
  { hash, userId, purpose }: { hash: Uint8Array<ArrayBuffer>; userId: string; purpose: string },
): Promise<boolean> {
  const { count } = await tx.identityMailToken.deleteMany({ where: { hash } });
  await tx.identityMailToken.deleteMany({ where: { userId, purpose } });
  return count === 1;
}

function hashMailToken(pepper: Buffer, token: string): Buffer<ArrayBuffer> {
  return hashKey(pepper, digest('sha256', token));
}
