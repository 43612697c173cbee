import type { AccountDatabase } from '../persistence/account-database.ts';
import { renderLink } from './link-mails.ts';
import { createMailToken, operatorLinkLifetimeMs } from './mail-tokens.ts';
import { parseEmail } from './parse-credentials.ts';

export interface OperatorContext {
  readonly database: AccountDatabase;
  readonly mailPepper: Buffer;
  /** The gateway's origin. If the origin is null, links are printed without an origin. */
  readonly publicUrl: string | null;
}

/**
 * Creates a link for setting a new password. The operator must send the link to the person. A printed link
 * does not verify the email address, because the gateway did not email the link. Throws an error if no user
 * has this address.
 */
export async function createResetLink(
  { database, mailPepper, publicUrl }: OperatorContext,
  email: string,
): Promise<string> {
  const { id: userId } = await findUser(database, email);
  const purpose = 'reset-password';
  const token = await createMailToken(database, mailPepper, {
    ...{ userId, purpose, provesEmail: false },
    lifetimeMs: operatorLinkLifetimeMs,
  });
  const link = renderLink(publicUrl ?? 'https://<your gateway>', purpose, token);
  return `${link}\nThe link works once, for 24 hours. Send it to the person through a private channel.`;
}

/** Marks an email address as verified. Throws an error if no user has this address. */
export async function markEmailVerified(
  { database }: Pick<OperatorContext, 'database'>,
  email: string,
): Promise<string> {
  const user = await findUser(database, email);
  await database.acrossAccounts.identityUser.updateMany({
    where: { id: user.id, emailVerifiedAt: null },
    data: { emailVerifiedAt: new Date() },
  });
  return `${user.email} is verified.`;
}

async function findUser(database: AccountDatabase, text: string): Promise<{ id: string; email: string }> {
  const email = parseEmail(text);
  if (email === null) throw new Error('This is not an e-mail address.');
  const user = await database.acrossAccounts.identityUser.findUnique({ where: { email } });
  if (user === null) throw new Error('No user has this e-mail address.');
  return user;
}
