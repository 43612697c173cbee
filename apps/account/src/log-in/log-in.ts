import { identityCredentials } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { admitGuess } from '../identity/admit-guess.ts';
import type { Identity } from '../identity/identity.ts';
import { beginSession, createRefreshToken, sealTokens, type SealedTokens } from '../identity/issue-tokens.ts';
import { openFor, parseEmail } from '../identity/parse-credentials.ts';

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
  const users = identity.database.acrossAccounts.identityUser;
  const user = await users.findUnique({ where: { email } });
  const isRight = await identity.passwords.verify(user?.passwordHash ?? null, password);
  if (user === null || !isRight) {
    identity.countEvent('wrong-password');
    throw new GatewayError('invalid_credentials');
  }
  await identity.guesses.absolve(email, request.clientAddress);
  identity.countEvent('logged-in');
  const refreshToken = createRefreshToken();
  const session = await identity.database.transactionAcrossAccounts((tx) =>
    beginSession(tx, identity, user.id, refreshToken),
  );
  if (identity.passwords.isOutdated(user.passwordHash)) {
    const passwordHash = await identity.passwords.hash(password);
    await users.updateMany({
      where: { id: user.id, passwordHash: user.passwordHash },
      data: { passwordHash },
    });
  }
  return sealTokens(identity, session, { email, refreshToken }, request.recipientPublicKey);
}
