import { GatewayError } from '@gateway/errors';
import { createIssuerKey, type IssuerKey } from '@gateway/testing';
import { SignJWT } from 'jose';
import { LoginSessionVerifier } from './login-session-verifier.ts';

const issuer = 'https://issuer.example';
const audience = 'gateway';
const key = createIssuerKey('ES256');
const rsaKey = createIssuerKey('RS256');
const sid = '019aa0c8-0000-7000-8000-000000000000';

const pemOf = ({ publicKey }: IssuerKey) => publicKey.export({ type: 'spki', format: 'pem' }).toString();
const asked: string[] = [];
const keys = {
  find: (alg: string, kid: string) => {
    asked.push(kid);
    const found = [key, rsaKey].find((each) => each.kid === kid && each.alg === alg);
    return Promise.resolve(found ? pemOf(found) : null);
  },
};
const embedded = new LoginSessionVerifier({
  issuer,
  audience,
  algorithms: ['ES256'],
  keys,
  needsSessionId: true,
});
const oidc = new LoginSessionVerifier({
  issuer,
  audience,
  algorithms: ['ES256', 'RS256'],
  keys,
  needsSessionId: false,
});

/** The claims of a session token in a test. An undefined value removes the claim. */
type Claims = Readonly<Record<string, unknown>>;

function sign(claims: Claims = {}, by = key, header: object = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ iss: issuer, aud: audience, sub: 'somebody', sid, exp: now + 60, ...claims })
    .setProtectedHeader({ alg: by.alg, kid: by.kid, ...header })
    .sign(by.privateKey);
}
const refusalOf = async (token: string, verifier = embedded) =>
  verifier.verify(token).then(
    () => 'accepted',
    (error: unknown) => (error as { code?: string }).code,
  );

beforeEach(() => asked.splice(0));

describe('the verifier of session tokens', () => {
  it('returns the claims of a valid token', async () => {
    const claims = await embedded.verify(await sign());
    expect(claims).toMatchObject({ issuer, subject: 'somebody', sessionId: sid });
    expect(claims.expiresAtMs).toBeGreaterThan(Date.now());
  });

  it('accepts only verification keys for the configured algorithms', async () => {
    expect(await refusalOf(await sign({}, rsaKey), oidc)).toBe('accepted');
    expect(await refusalOf(await sign({}, rsaKey))).toBe('invalid_session_token');
  });

  it('requires a session id if login sessions can be revoked', async () => {
    expect(await refusalOf(await sign({ sid: undefined }))).toBe('invalid_session_token');
    expect(await refusalOf(await sign({ sid: 'not-an-id' }))).toBe('invalid_session_token');
    await expect(oidc.verify(await sign({ sid: undefined }))).resolves.toMatchObject({ sessionId: null });
  });

  it('ignores session ids in tokens from other issuers', async () => {
    await expect(oidc.verify(await sign({ sid: 'S-1-of-theirs' }))).resolves.toMatchObject({
      sessionId: null,
    });
  });

  it('reports an expired token only if the issuer signed it', async () => {
    const past = { exp: Math.floor(Date.now() / 1000) - 1 };
    expect(await refusalOf(await sign(past))).toBe('expired_session_token');
    expect(await refusalOf(`${(await sign(past)).slice(0, -6)}AAAAAA`)).toBe('invalid_session_token');
  });

  it.each<[string, Claims]>([
    ['no expiry', { exp: undefined }],
    ['a later start', { nbf: Math.floor(Date.now() / 1000) + 60 }],
    ['another issuer', { iss: 'https://issuer.example.attacker.example' }],
    ['another audience', { aud: 'gateway2' }],
    ['no subject', { sub: undefined }],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
  ])('rejects a token with %s', async (_what, claims) => {
    expect(await refusalOf(await sign(claims))).toBe('invalid_session_token');
  });

  it('rejects tokens with a foreign issuer, an unaccepted algorithm, or no key id, without fetching verification keys', async () => {
    const tokens = [
      await sign({ iss: 'https://another.example' }),
      await sign({}, rsaKey),
      await sign({}, key, { kid: undefined }),
      await sign({}, key, { kid: 7 }),
      'eyJhbGciOiJub25lIn0.e30.',
      'eyJ.eyJ.eyJ',
      `eyJ${'a'.repeat(9_000)}.e30.e30`,
    ];
    for (const token of tokens) expect(await refusalOf(token)).toBe('invalid_session_token');
    expect(asked).toEqual([]);
  });

  it('forwards the error if fetching the verification keys fails', async () => {
    const away = new LoginSessionVerifier({
      issuer,
      audience,
      algorithms: ['ES256'],
      keys: { find: () => Promise.reject(new GatewayError('service_unavailable')) },
      needsSessionId: true,
    });
    expect(await refusalOf(await sign(), away)).toBe('service_unavailable');
  });
});
