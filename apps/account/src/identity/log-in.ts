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
 * Begins a session. An address that nobody has and a wrong password get one answer, at one cost. Throws
 * `invalid_credentials` and `too_many_attempts`.
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
 * Begins a session on the password that holds at that moment: one that is changed while it is looked at is looked at again,
 * since the change ends the sessions that it finds and no later one.
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
      // Holds the row until the session is there: who changes the password meanwhile waits, and then finds the session.
      const { count } = await tx.identityUser.updateMany({
        where: { id, passwordHash },
        data: { passwordHash },
      });
      return count === 0 ? null : beginLoginSession(tx, identity, id, refreshToken);
    });
    if (session !== null) return { session, passwordHash };
  }
}
