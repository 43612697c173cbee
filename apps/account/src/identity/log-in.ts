import { identityCredentials } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { admitGuess } from './guess-limit.ts';
import type { Identity } from './identity.ts';
import {
  beginLoginSession,
  createRefreshToken,
  sealTokens,
  type SealedTokens,
  type LoginSession,
} from './issue-tokens.ts';
import { openFor, parseEmail } from './parse-credentials.ts';

/**
 * Starts a login session. Unknown e-mail addresses and wrong passwords get the same response after the same
 * amount of work. Throws `invalid_credentials` and `too_many_attempts`.
 */
export async function logIn(
  identity: Identity,
  request: { sealedCredentials: string; clientAddress: string; recipientPublicKey: string },
): Promise<SealedTokens> {
  const credentials = openFor(identity.sealingKeys, request.sealedCredentials, identityCredentials);
  const { password } = credentials;
  const email = parseEmail(credentials.email);
  if (email === null) throw new GatewayError('invalid_credentials');
  await admitGuess(identity, email, request.clientAddress);
  const refreshToken = createRefreshToken();
  const { session, passwordHash } = await beginOnPassword(identity, email, password, refreshToken);
  await identity.guesses.absolve(email, request.clientAddress);
  identity.countEvent('logged-in');
  if (identity.passwords.isOutdated(passwordHash)) {
    const renewed = await identity.passwords.hash(password);
    await identity.database.acrossAccounts.identityUser.updateMany({
      where: { id: session.userId, passwordHash },
      data: { passwordHash: renewed },
    });
  }
  return sealTokens(identity, session, { email, refreshToken }, request.recipientPublicKey);
}

/**
 * Starts a login session if the password is still current. If the password changes during the check, the
 * check is repeated. This is necessary because a password change ends only the login sessions that exist at
 * that moment.
 */
async function beginOnPassword(
  identity: Identity,
  email: string,
  password: string,
  refreshToken: string,
): Promise<{ session: LoginSession; passwordHash: string }> {
  for (;;) {
    const user = await identity.database.acrossAccounts.identityUser.findUnique({ where: { email } });
    const isRight = await identity.passwords.verify(user?.passwordHash ?? null, password);
    if (user === null || !isRight) {
      identity.countEvent('wrong-password');
      throw new GatewayError('invalid_credentials');
    }
    const { id, passwordHash } = user;
    const session = await identity.database.transactionAcrossAccounts(async (tx) => {
      // The row stays locked until the login session exists. A concurrent password change waits, and then
      // finds and ends the new login session.
      const { count } = await tx.identityUser.updateMany({
        where: { id, passwordHash },
        data: { passwordHash },
      });
      return count === 0 ? null : beginLoginSession(tx, identity, id, refreshToken);
    });
    if (session !== null) return { session, passwordHash };
  }
}
