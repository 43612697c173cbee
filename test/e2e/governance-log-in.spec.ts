import { session as sessionSchema } from '@gateway/contracts';
import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import pg from 'pg';
import { randomUUID } from 'node:crypto';
import { expectError } from './errors.fixture.ts';
import { onceEffective } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { auth, blocked, deviceCookieOf, logIn, newAddress, newPassword, wrong } from './log-in.fixture.ts';
import { findInLogs } from './logs.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const unauthorized = { status: 401, type: 'authentication_error' };

let person: TestPerson;

beforeAll(async () => {
  person = await signUpPerson(baseUrl);
});

const me = (key: string) => send(baseUrl, { path: '/v1/account/me', key });
const refresh = (refresh_token: string) => auth('refresh', { refresh_token });
const sessionOf = (answer: { json: () => unknown }) => sessionSchema.parse(answer.json());

describe('signing up', () => {
  it.each([
    ['a password of eleven characters', { password: 'elevenchars' }, 'invalid_field', 'password'],
    ['a password that repeats one character', { password: 'aaaaaaaaaaaaaaaa' }, 'invalid_field', 'password'],
    ['an invalid e-mail address', { email: 'nobody at home' }, 'invalid_field', 'email'],
    ['an unknown field', { admin: true }, 'unknown_field', 'admin'],
    [
      'an unknown place for the refresh token',
      { refresh_token_in: 'header' },
      'invalid_field',
      'refresh_token_in',
    ],
  ])('signing up is rejected for %s', async (_what, change, code, param) => {
    const body = { email: `${randomUUID()}@example.com`, password: newPassword(), ...change };
    const expected = { status: 400, type: 'invalid_request_error', code, param };
    expectError(await auth('sign-up', body), expected);
  });

  it('signing up with an address that is already in use, in any spelling, is a conflict', async () => {
    const body = { email: ` ${person.email.toUpperCase()} `, password: newPassword() };
    const taken = { status: 409, type: 'invalid_request_error', code: 'email_taken' };
    expectError(await auth('sign-up', body), taken);
  });
});

describe('a refresh token', () => {
  it('a refresh token is replaced on each use, and reusing it ends the login session', async () => {
    const thief = await signUpPerson(baseUrl);
    const second = sessionOf(await refresh(thief.refreshToken));
    const third = sessionOf(await refresh(second.refresh_token!));
    expect((await me(third.access_token)).status).toBe(200);

    const invalid = { ...unauthorized, code: 'invalid_refresh_token' };
    expectError(await refresh(thief.refreshToken), invalid);
    expectError(await refresh(third.refresh_token!), invalid);
    await onceEffective(async () => {
      for (const token of [thief.accessToken, second.access_token, third.access_token])
        expectError(await me(token), { ...unauthorized, code: 'invalid_session_token' });
    });
    // Reusing a refresh token does not prevent sign-in with the password.
    expect((await logIn(thief.email, thief.password)).status).toBe(200);
  });

  it('ten concurrent uses of a refresh token succeed at most once, and end the login session', async () => {
    const { refreshToken } = await signUpPerson(baseUrl);
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const answer of good) expect((await refresh(sessionOf(answer).refresh_token!)).status).toBe(401);
  });

  it('a refresh token is stored in a cookie that scripts and other sites cannot read', async () => {
    const { email, password } = person;
    const entered = await auth('log-in', { email, password }, { 'x-forwarded-proto': 'https' });
    expect(sessionOf(entered)).not.toHaveProperty('refresh_token');
    const [cookie = ''] = entered.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^__Host-svc_refresh=rt-svc-[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(entered.headers['set-cookie']?.[1]).toMatch(
      /^__Host-svc_device=eyJ[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    const plain = await auth('log-in', { email, password });
    const [plainCookie = ''] = plain.headers['set-cookie'] ?? [];
    expect(plainCookie).toMatch(/^svc_refresh=.*; HttpOnly; SameSite=Strict$/);

    const headers = { cookie: plainCookie.split(';')[0]! };
    const refreshed = await auth('refresh', {}, headers);
    expect(refreshed.status).toBe(200);
    const [next = ''] = refreshed.headers['set-cookie'] ?? [];
    const left = await auth('log-out', {}, { cookie: next.split(';')[0]! });
    expect(left.json()).toEqual({ object: 'session.ended', ended: true });
    expect(left.headers['set-cookie']).toEqual([expect.stringContaining('svc_refresh=; Path=/; Max-Age=0')]);
    expect((await auth('refresh', {}, { cookie: next.split(';')[0]! })).status).toBe(401);
  });

  it.each([
    { origin: 'https://attacker.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('a refresh token is rejected from a page on another site: %j', async (headers) => {
    for (const name of ['sign-up', 'log-in', 'refresh', 'log-out']) {
      const answer = await auth(name, {}, headers);
      expectError(answer, { status: 403, type: 'permission_error', code: 'cross_site_request' });
    }
  });

  it('a refresh token is rejected from a form', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await auth('refresh', '{}', headers)).status).toBe(415);
    expect((await auth('log-in', '{}', headers)).status).toBe(415);
  });
});

it('a change of password requires the old password and ends every other login session', async () => {
  const owner = await signUpPerson(baseUrl);
  const newOnes = [newPassword(), newPassword()];
  const first = await logIn(owner.email, owner.password);
  const other = sessionOf(first);
  const change = (current_password: string, new_password: string) =>
    send(baseUrl, {
      path: '/v1/auth/change-password',
      key: owner.accessToken,
      body: { current_password, new_password },
    });
  expectError(await change(newPassword(), newPassword()), wrong);
  expectError(await change(owner.password, 'short'), {
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_field',
    param: 'new_password',
  });
  const changed = await Promise.all(newOnes.map((newOne) => change(owner.password, newOne)));
  expect(changed.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([200, 401]);
  const newOne = newOnes[changed.findIndex(({ status }) => status === 200)]!;
  await onceEffective(async () => expect((await me(other.access_token)).status).toBe(401));
  expect((await me(owner.accessToken)).status).toBe(200);
  expectError(await logIn(owner.email, owner.password), wrong);
  expect((await logIn(owner.email, newOne)).status).toBe(200);
  // After a password change, the only known device is the browser that changed the password.
  const known = deviceCookieOf(changed.find(({ status }) => status === 200)!);
  const address = newAddress();
  for (let n = 0; n < 5; n++) await logIn(owner.email, newPassword(), address);
  expectError(await logIn(owner.email, newOne, address, deviceCookieOf(first)), blocked);
  expect((await logIn(owner.email, newOne, address, known)).status).toBe(200);
});

it('no password or token is stored or logged in plaintext', async () => {
  const { email, password, accessToken, refreshToken } = person;
  const guess = newPassword();
  expectError(await logIn(email, guess), wrong);
  const secrets = [password, accessToken, refreshToken, refreshToken.slice(7), guess];
  expect(findInLogs(stack, secrets)).toEqual([]);
  const client = new pg.Client({ connectionString: stack.dev.postgres.account });
  await client.connect();
  const tables = [
    'identity_users',
    'identity_sessions',
    'refresh_tokens',
    'session_signing_keys',
    'login_guesses',
  ];
  for (const table of tables) {
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
    expect(rows.length).toBeGreaterThan(0);
    const text = rows.map(({ row }) => row).join('\n');
    for (const secret of secrets)
      expect({ table, holds: text.includes(secret) }).toEqual({ table, holds: false });
    expect(text).not.toMatch(/PRIVATE KEY|"d":/);
  }
  await client.end();
});
