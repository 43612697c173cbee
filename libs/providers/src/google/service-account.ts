import { createHash, createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';

/** A key file of a Google service account, as far as it says who it is. */
export interface ServiceAccount {
  readonly client_email: string;
  readonly private_key_id: string;
  /** PKCS #8, in PEM. */
  readonly private_key: string;
}

const stored = z.object({ client_email: z.string(), private_key_id: z.string(), private_key: z.string() });

/** As one text, for where a credential is one: the vault. */
export function renderServiceAccount(account: ServiceAccount): string {
  const { client_email, private_key_id, private_key } = account;
  return JSON.stringify({ client_email, private_key_id, private_key });
}

/** Reads what `renderServiceAccount` wrote; undefined for a credential of another kind. */
export function parseServiceAccount(credential: string): ServiceAccount | undefined {
  if (!credential.startsWith('{')) return undefined;
  try {
    return stored.safeParse(JSON.parse(credential)).data;
  } catch {
    // A token, however odd: the parser's error would quote it.
    return undefined;
  }
}

/** Whether it is a key that tokens can be signed with. */
export function isSigningKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** The longest that Google takes. */
const lifetimeSeconds = 3_600;
/** Clocks differ, and requests take their time. */
const renewedBeforeSeconds = 300;
const tokensMax = 1_000;

interface SignedToken {
  readonly token: string;
  readonly renewAtSeconds: number;
}

/** By the digest of key and audience (the key itself is to stay nowhere), the oldest first. */
const tokens = new Map<string, SignedToken>();

/**
 * A token that the account has signed for one service of Google's, in the place of an access token: it saves the round
 * trip to Google's token endpoint, is good for that service alone, and is signed once an hour. Throws a DOMException or a
 * TypeError when the key is none.
 * https://google.aip.dev/auth/4111
 */
export async function signServiceToken(
  account: ServiceAccount,
  audience: string,
  now: Date,
): Promise<string> {
  const nowSeconds = Math.floor(now.getTime() / 1_000);
  const key = createHash('sha256').update(`${audience}|${account.private_key}`).digest('base64');
  const known = tokens.get(key);
  if (known && nowSeconds < known.renewAtSeconds) return known.token;
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id })
    .setIssuer(account.client_email)
    .setSubject(account.client_email)
    .setAudience(audience)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + lifetimeSeconds)
    .sign(createPrivateKey(account.private_key));
  tokens.delete(key);
  tokens.set(key, { token, renewAtSeconds: nowSeconds + lifetimeSeconds - renewedBeforeSeconds });
  for (const oldest of tokens.keys()) {
    if (tokens.size <= tokensMax) break;
    tokens.delete(oldest);
  }
  return token;
}
