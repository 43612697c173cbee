import { createHash, createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';

/** The fields of a Google service account key file from which tokens are signed. */
const stored = z.object({
  client_email: z.string(),
  private_key_id: z.string(),
  /** The private key as PKCS #8 in PEM format. */
  private_key: z.string(),
});
export type ServiceAccount = Readonly<z.infer<typeof stored>>;

/** Renders the service account as one string for the credential vault. */
export function renderServiceAccount(account: ServiceAccount): string {
  const { client_email, private_key_id, private_key } = account;
  return JSON.stringify({ client_email, private_key_id, private_key });
}

/** Parses the output of `renderServiceAccount`. Returns undefined for a credential that is not a service account. */
export function parseServiceAccount(credential: string): ServiceAccount | undefined {
  if (!credential.startsWith('{')) return undefined;
  try {
    return stored.safeParse(JSON.parse(credential)).data;
  } catch {
    // A text that is not JSON is treated as an access token.
    // The parser's error is dropped because the error would quote the secret.
    return undefined;
  }
}

/** Whether the text is an RSA private key, which can sign tokens. */
export function isSigningKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** The longest token lifetime that Google accepts, in seconds. */
const lifetimeSeconds = 3_600;
/** Number of seconds before expiry at which tokens are renewed, to allow for clock differences and long requests. */
const renewedBeforeSeconds = 300;
const tokensMax = 1_000;

interface SignedToken {
  readonly token: string;
  readonly renewAtSeconds: number;
}

/**
 * Signed tokens, oldest first. The map's keys are digests of the audience and the private key, so that no
 * private key is stored.
 */
const tokens = new Map<string, SignedToken>();

/**
 * Signs a token for one Google service, or returns a cached token. The signed token replaces an access token
 * and saves a round trip to Google's token endpoint. The signed token is valid for one Google service and for
 * one hour.
 * @throws DOMException or TypeError when the private key is invalid https://google.aip.dev/auth/4111
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
