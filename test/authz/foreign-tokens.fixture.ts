import { createHmac } from 'node:crypto';
import { createIssuerKey, startTokenIssuer, type TokenIssuer } from '@gateway/testing';

/** Tokens from a real issuer. Each bad token has exactly one defect, which the token's name describes. */
export interface ForeignTokens {
  readonly good: string;
  readonly bad: readonly { readonly name: string; readonly token: string; readonly code: string }[];
  close(): Promise<void>;
}

/** The audience and subject that the edge `oidc` accepts from the test issuer (see test/shared-stack.setup.mjs). */
const audience = 'gateway-under-test';
const subject = 'somebody';

export async function issueForeignTokens(): Promise<ForeignTokens> {
  const address = process.env['TEST_OIDC_ISSUER'];
  if (!address) throw new Error('the test set-up has no address of an issuer');
  const issuer = await startTokenIssuer({ port: Number(new URL(address).port) });
  const seconds = Math.floor(Date.now() / 1000);
  const say = (claims: Record<string, unknown>) => issuer.issue(subject, audience, { claims });
  const invalid = 'invalid_session_token';
  const bad = [
    { name: 'the wrong aud', token: await issuer.issue(subject, 'another-gateway'), code: invalid },
    { name: 'no aud', token: await say({ aud: undefined }), code: invalid },
    { name: 'the wrong iss', token: await say({ iss: 'https://issuer.example' }), code: invalid },
    { name: 'no iss', token: await say({ iss: undefined }), code: invalid },
    { name: 'an exp in the past', token: await say({ exp: seconds - 60 }), code: 'expired_session_token' },
    { name: 'no exp', token: await say({ exp: undefined }), code: invalid },
    { name: 'an nbf in the future', token: await say({ nbf: seconds + 600 }), code: invalid },
    { name: 'no sub', token: await say({ sub: undefined }), code: invalid },
    { name: 'HS256 in place of RS256', token: confuseAlgorithms(issuer, seconds), code: invalid },
    { name: 'the signature of an unknown key', token: await signElsewhere(issuer), code: invalid },
  ];
  return { good: await issuer.issue(subject, audience), bad, close: () => issuer.close() };
}

function signElsewhere(issuer: TokenIssuer): Promise<string> {
  const [known] = issuer.keys;
  const stranger = createIssuerKey();
  return issuer.issue(subject, audience, { key: { ...stranger, kid: known?.kid ?? '' } });
}

/**
 * Returns a token that is signed with HMAC, using the issuer's public key as the secret. A verifier that
 * trusts the token's own `alg` would accept the token.
 */
function confuseAlgorithms({ issuer, keys }: TokenIssuer, seconds: number): string {
  const [key] = keys;
  if (!key) throw new Error('the issuer has no key');
  const render = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const header = render({ alg: 'HS256', kid: key.kid, typ: 'JWT' });
  const signed = `${header}.${render({ iss: issuer, aud: audience, sub: subject, exp: seconds + 600 })}`;
  const secret = key.publicKey.export({ type: 'spki', format: 'pem' });
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
