import type { RequestOrigin } from '@gateway/contracts';
import { passwordChange, passwordReset } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { auditUser } from './audit-person.ts';
import { admitGuess } from './guess-limit.ts';
import type { Identity } from './identity.ts';
import { sealDevice } from './issue-tokens.ts';
import { checkNewPassword, openFor, parseEmail } from './parse-credentials.ts';
import { requireRecipient } from '../common/secrets.ts';
import { findMailToken, useMailToken } from './mail-tokens.ts';

interface ChangePasswordRequest {
  readonly subject: string;
  readonly sessionId: string;
  readonly sealedPasswords: string;
  readonly clientAddress: string;
  /**
   * The public key that encrypts the new device token. Null if the caller has no device cookie to
   * replace.
   */
  readonly recipientPublicKey: string | null;
  readonly origin?: RequestOrigin | undefined;
}

/**
 * Replaces a person's password, ends every login session except the current one, and revokes all device tokens.
 * The reply contains a new device token. Wrong passwords count only against this login session, so that
 * strangers cannot prevent a person from changing the password. Throws `invalid_credentials` for a wrong
 * password, `too_many_attempts`, and `invalid_field` if the new password is unacceptable.
 */
export async function changePassword(
  identity: Identity,
  request: ChangePasswordRequest,
): Promise<{ sealedDevice: string | null }> {
  const passwords = openFor(identity.sealingKeys, request.sealedPasswords, passwordChange);
  const users = identity.database.acrossAccounts.identityUser;
  const user = await users.findUnique({ where: { id: request.subject } });
  if (user === null) throw new GatewayError('invalid_credentials');
  checkNewPassword(passwords.newPassword, user.email, 'new_password');
  const guess = await admitGuess(identity, (guesses) => guesses.require('session', request.sessionId));
  if (!(await identity.passwords.verify(user.passwordHash, passwords.currentPassword))) {
    identity.countEvent('wrong-password');
    throw new GatewayError('invalid_credentials');
  }
  await identity.guesses.absolve(guess);
  const passwordHash = await identity.passwords.hash(passwords.newPassword);
  await identity.database.transactionAcrossAccounts(async (tx) => {
    // The update matches no row if a concurrent call has already changed the password, or if the person was deleted.
    const place = { id: user.id, passwordHash: user.passwordHash };
    const data = { passwordHash, deviceGeneration: { increment: 1 } };
    const { count } = await tx.identityUser.updateMany({ where: place, data });
    if (count === 0) throw new GatewayError('invalid_credentials');
    await auditUser(tx, identity, user, { action: 'password.changed', origin: request.origin });
    await tx.identitySession.deleteMany({ where: { userId: user.id, id: { not: request.sessionId } } });
  });
  identity.announceLoginSessionChange({ issuer: identity.issuer, subject: user.id });
  if (request.recipientPublicKey === null) return { sealedDevice: null };
  const owner = { id: user.id, deviceGeneration: user.deviceGeneration + 1 };
  return { sealedDevice: await sealDevice(identity, owner, request.recipientPublicKey) };
}

/**
 * Sends a link for a new password. The reply is sent before the email address is looked up, so the reply is
 * the same for known and unknown email addresses. Throws `mail_not_configured` if no mail server is
 * configured. Throws `too_many_attempts` for a client that requests too many emails, and
 * `service_unavailable` if too many emails are waiting.
 */
export async function requestPasswordReset(
  identity: Identity,
  request: { email: string; clientAddress: string; origin?: RequestOrigin | undefined },
): Promise<Record<string, never>> {
  const { linkMails } = identity;
  if (linkMails === null) throw new GatewayError('mail_not_configured');
  await identity.guesses.require('mailClient', request.clientAddress);
  const email = parseEmail(request.email);
  if (email !== null) linkMails.request('reset-password', email, request.origin);
  return {};
}

/**
 * Sets a new password by means of the token in a link. One transaction marks the token as used, ends all
 * login sessions and revokes all device tokens. The reply contains a new device token, because the link
 * proves the person's identity. Throws `invalid_mail_token`. Throws `invalid_field` for an unacceptable
 * password, and keeps the token valid.
 */
export async function resetPassword(
  identity: Identity,
  request: { sealedReset: string; recipientPublicKey: string; origin?: RequestOrigin | undefined },
): Promise<{ email: string; sealedDevice: string }> {
  const { token, newPassword } = openFor(identity.sealingKeys, request.sealedReset, passwordReset);
  requireRecipient(request.recipientPublicKey);
  const found = await findMailToken(identity.database, identity.mailPepper, token, 'reset-password');
  if (found === null) throw new GatewayError('invalid_mail_token');
  const { user } = found;
  checkNewPassword(newPassword, user.email, 'new_password');
  const passwordHash = await identity.passwords.hash(newPassword);
  const owner = await identity.database.transactionAcrossAccounts(async (tx) => {
    if (!(await useMailToken(tx, found))) throw new GatewayError('invalid_mail_token');
    const proven = found.provesEmail && user.emailVerifiedAt === null ? { emailVerifiedAt: new Date() } : {};
    const changed = await tx.identityUser.update({
      where: { id: user.id },
      data: { passwordHash, deviceGeneration: { increment: 1 }, ...proven },
    });
    await tx.identitySession.deleteMany({ where: { userId: user.id } });
    await auditUser(tx, identity, user, { action: 'password.reset', origin: request.origin });
    return changed;
  });
  identity.countEvent('password-reset');
  identity.announceLoginSessionChange({ issuer: identity.issuer, subject: user.id });
  return { email: user.email, sealedDevice: await sealDevice(identity, owner, request.recipientPublicKey) };
}
