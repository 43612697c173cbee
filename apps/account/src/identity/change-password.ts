import { passwordChange, type RequestOrigin } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { auditUser } from './audit-person.ts';
import { admitGuess } from './guess-limit.ts';
import type { Identity } from './identity.ts';
import { sealDevice } from './issue-tokens.ts';
import { checkNewPassword, openFor } from './parse-credentials.ts';

export interface ChangePasswordRequest {
  readonly subject: string;
  readonly sessionId: string;
  readonly sealedPasswords: string;
  readonly clientAddress: string;
  /**
   * The public key with which the new device token is encrypted. Null if the caller has no device cookie to
   * replace.
   */
  readonly recipientPublicKey: string | null;
  readonly origin?: RequestOrigin | undefined;
}

/**
 * Replaces a person's password, ends every login session except the current one, and revokes all device
 * tokens. The reply contains a new device token. Wrong passwords are counted for this login session only, so
 * that strangers cannot prevent a person from changing the password. Throws `invalid_credentials` for a wrong
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
    // No row matches if a concurrent call has already changed the password, or if the person was deleted.
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
