import { passwordChange } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { admitGuess } from './guess-limit.ts';
import type { Identity } from './identity.ts';
import { checkNewPassword, openFor } from './parse-credentials.ts';

export interface ChangePasswordRequest {
  readonly subject: string;
  readonly sessionId: string;
  readonly sealedPasswords: string;
  readonly clientAddress: string;
}

/**
 * Replaces a person's password and ends every login session except the current one. Throws
 * `invalid_credentials`, `too_many_attempts`, and `invalid_field` if the new password is unacceptable.
 */
export async function changePassword(
  identity: Identity,
  request: ChangePasswordRequest,
): Promise<Record<string, never>> {
  const passwords = openFor(identity.sealingKeys, request.sealedPasswords, passwordChange);
  const users = identity.database.acrossAccounts.identityUser;
  const user = await users.findUnique({ where: { id: request.subject } });
  if (user === null) throw new GatewayError('invalid_credentials');
  checkNewPassword(passwords.newPassword, user.email, 'new_password');
  await admitGuess(identity, user.email, request.clientAddress);
  if (!(await identity.passwords.verify(user.passwordHash, passwords.currentPassword))) {
    identity.countEvent('wrong-password');
    throw new GatewayError('invalid_credentials');
  }
  await identity.guesses.absolve(user.email, request.clientAddress);
  const passwordHash = await identity.passwords.hash(passwords.newPassword);
  await identity.database.transactionAcrossAccounts(async (tx) => {
    // No row matches if a concurrent call has already changed the password, or if the person was deleted.
    const place = { id: user.id, passwordHash: user.passwordHash };
    const { count } = await tx.identityUser.updateMany({ where: place, data: { passwordHash } });
    if (count === 0) throw new GatewayError('invalid_credentials');
    await tx.identitySession.deleteMany({ where: { userId: user.id, id: { not: request.sessionId } } });
  });
  identity.announceLoginSessionChange({ issuer: identity.issuer, subject: user.id });
  return {};
}
