import { account as accountSchema } from '@gateway/contracts';
import {
  createIssuerKey,
  forgeTokens,
  sharedStack,
  signUpPerson,
  startTokenIssuer,
  type TokenIssuer,
} from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as waitMs } from 'node:timers/promises';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { onceEffective } from './governance.fixture.ts';
import { send } from './http.fixture.ts';

const stack = sharedStack();
const edge = edgeUrl(stack, 'oidc');
const audience = 'gateway-under-test';
/**
 * The minimum interval in milliseconds between two signing key fetches by an edge (VerificationKeys). A token
 * with an unknown signing key makes an edge fetch signing keys.
 */
const keySetPauseMs = 10_000;
const invalid = { status: 401, type: 'authentication_error', code: 'invalid_session_token' };

let issuer: TokenIssuer;
let subject: string;

beforeAll(async () => {
  issuer = await startTokenIssuer({ port: Number(new URL(process.env['TEST_OIDC_ISSUER']!).port) });
  subject = `auth0|${randomUUID()}`;
});
afterAll(() => issuer.close());

const register = (key: string) => send(edge, { method: 'POST', path: '/v1/account/register', key });
const me = (key: string) => send(edge, { path: '/v1/account/me', key });

it('a person from the configured issuer registers once, and the next token opens the same account', async () => {
  const first = await register(await issuer.issue(subject, audience));
  const account = accountSchema.parse(first.json());
  expect((await me(await issuer.issue(subject, audience))).json()).toEqual(account);
  const stranger = await register(await issuer.issue(`auth0|${randomUUID()}`, audience));
  expect(accountSchema.parse(stranger.json()).id).not.toBe(account.id);
});

it('a person with a deleted account can register a new one', async () => {
  const leaver = `auth0|${randomUUID()}`;
  const token = await issuer.issue(leaver, audience);
  const before = accountSchema.parse((await register(token)).json());
  const deleted = await send(edge, { method: 'DELETE', path: '/v1/account/me', key: token });
  expect({ status: deleted.status, text: deleted.text }).toMatchObject({ status: 202 });
  const none = { status: 403, type: 'permission_error', code: 'account_not_registered' };
  await onceEffective(async () => expectError(await me(token), none));
  expect(accountSchema.parse((await register(token)).json()).id).not.toBe(before.id);
});

it('the embedded identity is disabled with an external issuer', async () => {
  const names = ['sign-up', 'log-in', 'refresh', 'log-out', 'change-password'];
  const mailed = ['forgot-password', 'reset-password', 'verify-email', 'resend-verification'];
  for (const path of [...names, ...mailed].map((name) => `/v1/auth/${name}`))
    expect((await send(edge, { path, body: {} })).status).toBe(404);
  expect((await send(edge, { path: '/.well-known/jwks.json' })).status).toBe(404);
  const { accessToken } = await signUpPerson(stack.baseUrl);
  expectError(await me(accessToken), invalid);
});

it('a correctly signed token must also have a valid issuer, audience and time', async () => {
  const now = Math.floor(Date.now() / 1000);
  const bad: Record<string, Readonly<Record<string, unknown>>> = {
    'another audience': { aud: 'another-gateway' },
    'an audience with the right prefix only': { aud: `${audience}-2` },
    'no audience': { aud: undefined },
    'another issuer': { iss: 'https://issuer.example' },
    'the issuer with a slash': { iss: `${issuer.issuer}/` },
    'no issuer': { iss: undefined },
    'no expiry': { exp: undefined },
    'an expiry that is not a number': { exp: 'never' },
    'a start time in the future': { nbf: now + 60 },
    'no subject': { sub: undefined },
    'an empty subject': { sub: '' },
  };
  for (const [name, claims] of Object.entries(bad)) {
    const answer = await me(await issuer.issue(subject, audience, { claims }));
    expect({ name, status: answer.status }).toEqual({ name, status: 401 });
    expectError(answer, invalid);
  }
  const expired = await issuer.issue(subject, audience, { claims: { exp: now - 1 } });
  expectError(await me(expired), { ...invalid, code: 'expired_session_token' });
  const several = await issuer.issue(subject, audience, { claims: { aud: ['others', audience] } });
  expect((await me(several)).status).toBe(200);
});

it('a forged token is rejected, even if the issuer uses RSA keys', async () => {
  const valid = await issuer.issue(subject, audience);
  expect((await me(valid)).status).toBe(200);
  const jwk = issuer.keys.at(-1)!.publicKey.export({ format: 'jwk' });
  for (const { name, token } of forgeTokens(valid, jwk)) {
    const answer = await me(token);
    expect({ name, status: answer.status }).toEqual({ name, status: 401 });
  }
});

it('a new signing key is found, a removed signing key is dropped, and many unknown keys cause a single fetch', async () => {
  const old = issuer.keys.at(-1)!;
  const oldToken = await issuer.issue(subject, audience);
  expect((await me(oldToken)).status).toBe(200);
  await waitMs(keySetPauseMs);
  const readsBefore = issuer.keySetReads;
  issuer.rotate({ alg: 'ES256' });
  const token = await issuer.issue(subject, audience);
  expect((await me(token)).status).toBe(200);
  expect(issuer.keySetReads).toBe(readsBefore + 1);
  // The issuer has removed the signing key, so the edge rejects the token.
  expectError(await me(oldToken), invalid);
  expectError(await me(await issuer.issue(subject, audience, { key: old })), invalid);

  const stranger = createIssuerKey('ES256');
  const flood = Array.from({ length: 50 }, async (_, n) =>
    me(await issuer.issue(subject, audience, { key: { ...stranger, kid: `unknown-${n}` } })),
  );
  for (const answer of await Promise.all(flood)) expectError(answer, invalid);
  expect(issuer.keySetReads).toBe(readsBefore + 1);
}, 30_000);

it('cached keys verify tokens while the issuer is unavailable', async () => {
  const token = await issuer.issue(subject, audience);
  expect((await me(token)).status).toBe(200);
  issuer.setAway(true);
  expect((await me(token)).status).toBe(200);
  issuer.setAway(false);
});
