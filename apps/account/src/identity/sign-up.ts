import { emailVerification, identityCredentials, type RequestOrigin } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { isUniqueConflict, newId } from '@gateway/persistence';
import type { Identity } from './identity.ts';
import { beginLoginSession, createRefreshToken, sealTokens, type SealedTokens } from './issue-tokens.ts';
import { checkNewPassword, openFor, parseEmail } from './parse-credentials.ts';
import { auditUser } from './audit-person.ts';
import { findMailToken, useMailToken } from './mail-tokens.ts';

/**
 * Creates a person and starts the person's first login session. Throws `email_taken`, `sign_up_closed` and
 * `invalid_field`. The edge gateway limits the rate of sign-up attempts, because `email_taken` reveals that
 * an email address exists.
 */
export async function signUp(
  identity: Identity,
  request: { sealedCredentials: string; recipientPublicKey: string },
): Promise<SealedTokens> {
  if (!identity.signUpOpen) throw new GatewayError('sign_up_closed');
  const credentials = openFor(identity.sealingKeys, request.sealedCredentials, identityCredentials);
  const email = parseEmail(credentials.email);
  if (email === null)
    throw new GatewayError('invalid_field', {
      param: 'email',
      message: 'Enter a valid e-mail address, such as name@example.com.',
    });
  checkNewPassword(credentials.password, email, 'password');
  const passwordHash = await identity.passwords.hash(credentials.password);
  const refreshToken = createRefreshToken();
  const session = await createUser(identity, { email, passwordHash, refreshToken });
  identity.countEvent('signed-up');
  // A sign-up succeeds even if the email queue is full, because the person can request another email.
  identity.linkMails?.offer('verify-email', email);
  const deviceToken = await identity.devices.issue({ id: session.userId, deviceGeneration: 0 });
  const issued = { email, emailVerified: false, refreshToken, deviceToken };
  return sealTokens(identity, session, issued, request.recipientPublicKey);
}

async function createUser(
  identity: Identity,
  { email, passwordHash, refreshToken }: { email: string; passwordHash: string; refreshToken: string },
) {
  try {
    return await identity.database.transactionAcrossAccounts(async (tx) => {
      const { id } = await tx.identityUser.create({ data: { id: newId(), email, passwordHash } });
      return beginLoginSession(tx, identity, id, refreshToken);
    });
  } catch (error) {
    throw isUniqueConflict(error) ? new GatewayError('email_taken', { param: 'email' }) : error;
  }
}

/**
 * Emails the person a link that verifies the person's email address. Does nothing for a verified address.
 * Throws `mail_not_configured`, `too_many_attempts` and `service_unavailable`.
 */
export async function requestEmailVerification(
  identity: Identity,
  request: { subject: string; clientAddress: string; origin?: RequestOrigin | undefined },
): Promise<Record<string, never>> {
  const { linkMails } = identity;
  if (linkMails === null) throw new GatewayError('mail_not_configured');
  await identity.guesses.require('mailClient', request.clientAddress);
  const where = { id: request.subject };
  const user = await identity.database.acrossAccounts.identityUser.findUnique({ where });
  if (user !== null) linkMails.request('verify-email', user.email, request.origin);
  return {};
}

/** Marks the email address of the token's owner as verified. Throws `invalid_mail_token`. */
export async function verifyEmail(
  identity: Identity,
  request: { sealedToken: string; origin?: RequestOrigin | undefined },
): Promise<{ email: string }> {
  const { token } = openFor(identity.sealingKeys, request.sealedToken, emailVerification);
  const found = await findMailToken(identity.database, identity.mailPepper, token, 'verify-email');
  if (found === null) throw new GatewayError('invalid_mail_token');
  const { id, email } = found.user;
  await identity.database.transactionAcrossAccounts(async (tx) => {
    if (!(await useMailToken(tx, found))) throw new GatewayError('invalid_mail_token');
    await tx.identityUser.update({ where: { id }, data: { emailVerifiedAt: new Date() } });
    await auditUser(tx, identity, found.user, { action: 'email.verified', origin: request.origin });
  });
  identity.countEvent('email-verified');
  return { email };
}
