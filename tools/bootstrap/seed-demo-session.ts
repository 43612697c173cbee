import {
  attachPerson,
  getIdentitySealingKey,
  issuedTokens,
  logIn,
  signUp,
  type IdentityCredentials,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { createSealingKeyPair, openSealed, seal, type Messaging } from '@gateway/messaging';
import { decodeJwt } from 'jose';
import { demoEmail } from './stack/demo-account.ts';

/**
 * The maximum time in milliseconds to wait for services that may still be starting, such as the account
 * service.
 */
export const CALL = { deadlineMs: 30_000 };
/** The client address for which the account service counts failed sign-in attempts. */
const clientAddress = 'operator';

/**
 * Signs up or logs in the demo user, and returns a session token for the demo account. Returns null if an
 * OpenID Connect issuer issues the tokens, or if the user's password was changed.
 */
export async function createDemoSession(
  messaging: Messaging,
  accountId: string,
  password: string,
): Promise<string | null> {
  try {
    const token = await takeToken(messaging, { email: demoEmail, password });
    const { iss, sub } = decodeJwt(token);
    if (iss === undefined || sub === undefined) return null;
    await messaging.call(attachPerson, { accountId, issuer: iss, subject: sub }, CALL);
    return token;
  } catch (error) {
    if (error instanceof GatewayError && error.definition.status < 500) return null;
    throw error;
  }
}

async function takeToken(messaging: Messaging, credentials: IdentityCredentials): Promise<string> {
  const { publicKey: sealTo } = await messaging.call(getIdentitySealingKey, {}, CALL);
  const { publicKey, privateKey } = createSealingKeyPair();
  const request = {
    sealedCredentials: seal(Buffer.from(JSON.stringify(credentials)), sealTo),
    recipientPublicKey: publicKey,
  };
  const { sealedTokens } = await messaging
    .call(logIn, { ...request, clientAddress }, CALL)
    .catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'invalid_credentials')
        return messaging.call(signUp, request, CALL);
      throw error;
    });
  const opened: unknown = JSON.parse(openSealed(sealedTokens, privateKey).toString('utf8'));
  return issuedTokens.parse(opened).accessToken;
}
