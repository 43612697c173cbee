import { emailVerification, type RequestOrigin } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { auditUser } from './audit-person.ts';
import type { Identity } from './identity.ts';
import { findMailToken, useMailToken } from './mail-tokens.ts';
import { openFor } from './parse-credentials.ts';

/**
 * Emails the person a link that verifies the person's email address. If the email address is already
 * verified, the function sends no email. Throws `mail_not_configured`, `too_many_attempts` and
 * `service_unavailable`.
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

/**
 * Marks the email address of the token's person as verified. Throws `invalid_mail_token` for an invalid
 * token.
 */
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
