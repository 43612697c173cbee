import { identityCredentials, type RequestOrigin } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { auditUser, auditUserLater } from './audit-person.ts';
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

interface LogInRequest {
  readonly sealedCredentials: string;
  readonly clientAddress: string;
  readonly recipientPublicKey: string;
  readonly origin?: RequestOrigin | undefined;
}

interface Person {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly emailVerifiedAt: Date | null;
  readonly deviceGeneration: number;
}

/**
 * Starts a login session. Unknown email addresses and wrong passwords get the same response after the same
 * amount of work. Throws `invalid_credentials` and `too_many_attempts`.
 */
export async function logIn(identity: Identity, request: LogInRequest): Promise<SealedTokens> {
  const credentials = openFor(identity.sealingKeys, request.sealedCredentials, identityCredentials);
  const { password, deviceTokens } = credentials;
  const email = parseEmail(credentials.email);
  if (email === null) throw new GatewayError('invalid_credentials');
  const owner = await identity.database.acrossAccounts.identityUser.findUnique({ where: { email } });
  const deviceId = await identity.devices.find(deviceTokens, owner);
  const { clientAddress, origin } = request;
  const guess = await admitGuess(identity, (guesses) => guesses.admit({ email, clientAddress, deviceId }));
  const refreshToken = createRefreshToken();
  const begun = await beginOnPassword(identity, email, password, { refreshToken, origin });
  if (begun === null) {
    await identity.guesses.blame(guess);
    identity.countEvent('wrong-password');
    if (owner !== null) auditUserLater(identity, owner, { action: 'session.sign_in_failed', origin });
    throw new GatewayError('invalid_credentials');
  }
  const { session, person } = begun;
  await identity.guesses.absolve(guess);
  identity.countEvent('logged-in');
  await renewHash(identity, person, password);
  const deviceToken = await identity.devices.issue(person);
  const emailVerified = person.emailVerifiedAt !== null;
  const issued = { email, emailVerified, refreshToken, deviceToken };
  return sealTokens(identity, session, issued, request.recipientPublicKey);
}

/**
 * Starts a login session if the password has not changed during the check. If the password changes during the check,
 * the check is repeated, because a password change ends only existing login sessions. Returns null if the person is
 * unknown or the password is wrong.
 */
async function beginOnPassword(
  identity: Identity,
  email: string,
  password: string,
  { refreshToken, origin }: { refreshToken: string; origin: RequestOrigin | undefined },
): Promise<{ session: LoginSession; person: Person } | null> {
  for (;;) {
    const person = await identity.database.acrossAccounts.identityUser.findUnique({ where: { email } });
    const isRight = await identity.passwords.verify(person?.passwordHash ?? null, password);
    if (person === null || !isRight) return null;
    const { id, passwordHash } = person;
    const session = await identity.database.transactionAcrossAccounts(async (tx) => {
      // The user's row stays locked until the login session has been created.
      // A concurrent password change waits for this lock, and then ends the new login session.
      const { count } = await tx.identityUser.updateMany({
        where: { id, passwordHash },
        data: { passwordHash },
      });
      if (count === 0) return null;
      await auditUser(tx, identity, person, { action: 'session.signed_in', origin });
      return beginLoginSession(tx, identity, id, refreshToken);
    });
    if (session !== null) return { session, person };
  }
}

/** Hashes the password again if the stored hash was created with an outdated cost. */
async function renewHash(
  { passwords, database }: Identity,
  { id, passwordHash }: Person,
  password: string,
): Promise<void> {
  if (!passwords.isOutdated(passwordHash)) return;
  const renewed = await passwords.hash(password);
  await database.acrossAccounts.identityUser.updateMany({
    where: { id, passwordHash },
    data: { passwordHash: renewed },
  });
}
