import { session as sessionSchema } from '@gateway/contracts';
import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import pg from 'pg';
import { randomUUID } from 'node:crypto';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { onceEffective } from './governance.fixture.ts';
import { send, type Answer } from './http.fixture.ts';
import { whileCountedTogether } from './limits.fixture.ts';
import { findInLogs } from './logs.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const unauthorized = { status: 401, type: 'authentication_error' };
const blocked = { status: 429, type: 'rate_limit_error', code: 'too_many_attempts' };
const wrong = { ...unauthorized, code: 'invalid_credentials' };

let person: TestPerson;
let lastAddress = 0;

beforeAll(async () => {
  person = await signUpPerson(baseUrl);
});

/** Passwords are random because a later test searches all output of the run for them. */
const newPassword = () => `pw-${randomUUID()}`;
/** A client address that no other test uses. */
const newAddress = () => `198.51.${Math.floor(++lastAddress / 250)}.${lastAddress % 250}`;
const auth = (name: string, body: unknown, headers: Record<string, string> = {}, at = baseUrl) =>
  send(at, { path: `/v1/auth/${name}`, body, headers });
const logIn = (email: string, password: string, address = newAddress(), cookie?: string) =>
  auth(
    'log-in',
    { email, password, refresh_token_in: 'body' },
    { 'x-forwarded-for': address, ...(cookie === undefined ? {} : { cookie }) },
  );
/** The device cookie of a response, as a browser sends it back. */
function deviceCookieOf({ headers }: Pick<Answer, 'headers'>): string {
  const cookie = headers['set-cookie']?.find((each) => /^(__Host-)?svc_device=/.test(each));
  return cookie?.split(';')[0] ?? 'none';
}
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
  ])('is rejected for %s', async (_what, change, code, param) => {
    const body = { email: `${randomUUID()}@example.com`, password: newPassword(), ...change };
    const expected = { status: 400, type: 'invalid_request_error', code, param };
    expectError(await auth('sign-up', body), expected);
  });

  it('with an address that is already in use, in any spelling, is a conflict', async () => {
    const body = { email: ` ${person.email.toUpperCase()} `, password: newPassword() };
    const taken = { status: 409, type: 'invalid_request_error', code: 'email_taken' };
    expectError(await auth('sign-up', body), taken);
  });
});

describe('guessing passwords', () => {
  it('returns the same response in the same time for an unknown address as for a wrong password', async () => {
    const known: number[] = [];
    const unknown: number[] = [];
    // Fewer attempts of each kind than would trigger a block.
    for (let n = 0; n < 4; n++) {
      for (const [email, times] of [
        [person.email, known],
        [`nobody-${n}-${randomUUID()}@example.com`, unknown],
      ] as const) {
        const from = performance.now();
        const body = expectError(await logIn(email, newPassword()), wrong);
        times.push(performance.now() - from);
        expect(body.error.message).toBe('The e-mail address or the password is wrong.');
      }
    }
    const quickest = (times: number[]) => Math.min(...times);
    expect(quickest(unknown)).toBeGreaterThan(quickest(known) / 3);
    expect(quickest(known)).toBeGreaterThan(quickest(unknown) / 3);
    // A correct password resets the failure counter.
    expect((await logIn(person.email, person.password)).status).toBe(200);
  });

  it('blocks a client address for a known or unknown e-mail address after five failures, and keeps login sessions', async () => {
    const victim = await signUpPerson(baseUrl);
    for (const email of [victim.email, `nobody-${randomUUID()}@example.com`]) {
      const address = newAddress();
      for (let n = 0; n < 5; n++) expectError(await logIn(email, newPassword(), address), wrong);
      const refused = await logIn(email, victim.password, address);
      expectError(refused, blocked);
      const waitSeconds = Number(refused.headers['retry-after']);
      expect(waitSeconds).toBeGreaterThan(10);
      expect(waitSeconds).toBeLessThanOrEqual(30);
    }
    expect((await me(victim.accessToken)).status).toBe(200);
    expect((await refresh(victim.refreshToken)).status).toBe(200);
  }, 30_000);

  it('does not let anyone lock an e-mail address out: the owner signs in at a known device, and at a new device in another network', async () => {
    const owner = await signUpPerson(baseUrl);
    const cookie = deviceCookieOf(await logIn(owner.email, owner.password));
    const address = newAddress();
    const guesses = Array.from({ length: 80 }, (_, n) =>
      logIn(owner.email, newPassword(), n < 10 ? address : newAddress()),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    // Strangers are stopped in their own network …
    expect(statuses).toContain(429);
    expectError(await logIn(owner.email, owner.password), blocked);
    expectError(await logIn(owner.email, owner.password, address), blocked);
    // … and the owner is not, even at the address of a stranger.
    expect((await logIn(owner.email, owner.password, address, cookie)).status).toBe(200);
    expect((await logIn(owner.email, owner.password, '203.0.113.77')).status).toBe(200);
    // The known device of another person is a stranger, too.
    const other = await signUpPerson(baseUrl);
    const foreign = deviceCookieOf(await logIn(other.email, other.password, '203.0.113.78'));
    expectError(await logIn(owner.email, owner.password, address, foreign), blocked);
    const forged = cookie.replace(/.{8}$/, 'AAAAAAAA');
    expectError(await logIn(owner.email, owner.password, address, forged), blocked);
  }, 60_000);

  it('checks only five of a hundred concurrent guesses of one client, and few of a hundred clients', async () => {
    const address = newAddress();
    for (const [from, checkedMax] of [
      [() => address, 5],
      // Twenty of all unknown devices together, and one of a network without earlier guesses.
      [newAddress, 21],
    ] as const) {
      const email = `crowd-${randomUUID()}@example.com`;
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => logIn(email, newPassword(), from())),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(checkedMax);
      expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(5);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(100 - checkedMax);
    }
  }, 30_000);

  it('blocks a client address after fifty failures, and no other address', async () => {
    const address = newAddress();
    const guesses = Array.from({ length: 60 }, (_, n) =>
      logIn(`spray-${n}-${randomUUID()}@example.com`, newPassword(), address),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(50);
    expectError(await logIn(person.email, person.password, address), blocked);
    expect((await logIn(person.email, person.password)).status).toBe(200);
  }, 30_000);

  it('is also rate-limited at the edge, which counts a known device separately', () =>
    whileCountedTogether(async () => {
      const owner = await signUpPerson(baseUrl);
      const cookie = deviceCookieOf(await logIn(owner.email, owner.password));
      const closed = edgeUrl(stack, 'closed');
      const body = { email: `nobody-${randomUUID()}@example.com`, password: 'x' };
      const headers = { 'x-forwarded-for': newAddress() };
      const statuses: number[] = [];
      for (let n = 0; n < 8; n++) statuses.push((await auth('log-in', body, headers, closed)).status);
      expect(statuses.slice(0, 5)).not.toContain(429);
      expect(statuses.slice(5)).toEqual([429, 429, 429]);
      const { email, password } = owner;
      const known = await auth('log-in', { email, password }, { ...headers, cookie }, closed);
      expect(known.status).toBe(200);
    }));
});

describe('a refresh token', () => {
  it('is replaced on each use, and reusing it ends the login session', async () => {
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
    // The person's other login sessions remain valid.
    expect((await logIn(thief.email, thief.password)).status).toBe(200);
  });

  it('used ten times concurrently works at most once, and its login session ends', async () => {
    const { refreshToken } = await signUpPerson(baseUrl);
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const answer of good) expect((await refresh(sessionOf(answer).refresh_token!)).status).toBe(401);
  });

  it('is stored in a cookie that scripts and other sites cannot read', async () => {
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
  ])('is rejected from a page on another site: %j', async (headers) => {
    for (const name of ['sign-up', 'log-in', 'refresh', 'log-out']) {
      const answer = await auth(name, {}, headers);
      expectError(answer, { status: 403, type: 'permission_error', code: 'cross_site_request' });
    }
  });

  it('is rejected from a form', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await auth('refresh', '{}', headers)).status).toBe(415);
    expect((await auth('log-in', '{}', headers)).status).toBe(415);
  });
});

it('changing a password requires the old one and ends every other login session', async () => {
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
  // No browser is a known device any more, except the one that changed the password.
  const known = deviceCookieOf(changed.find(({ status }) => status === 200)!);
  const address = newAddress();
  for (let n = 0; n < 5; n++) await logIn(owner.email, newPassword(), address);
  expectError(await logIn(owner.email, newOne, address, deviceCookieOf(first)), blocked);
  expect((await logIn(owner.email, newOne, address, known)).status).toBe(200);
});

it('strangers who guess a password cannot keep a signed-in person from changing it', async () => {
  const owner = await signUpPerson(baseUrl);
  const address = newAddress();
  await Promise.all(Array.from({ length: 60 }, () => logIn(owner.email, newPassword(), address)));
  expectError(await logIn(owner.email, owner.password, address), blocked);
  const changed = await send(baseUrl, {
    path: '/v1/auth/change-password',
    key: owner.accessToken,
    headers: { 'x-forwarded-for': address },
    body: { current_password: owner.password, new_password: newPassword() },
  });
  expect(changed.status).toBe(200);
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
