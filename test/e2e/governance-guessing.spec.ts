import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { send } from './http.fixture.ts';
import { whileCountedTogether } from './limits.fixture.ts';
import { auth, blocked, deviceCookieOf, logIn, newAddress, newPassword, wrong } from './log-in.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;

let person: TestPerson;

beforeAll(async () => {
  person = await signUpPerson(baseUrl);
});

const me = (key: string) => send(baseUrl, { path: '/v1/account/me', key });
const refresh = (refresh_token: string) => auth('refresh', { refresh_token });

describe('guessing passwords', () => {
  it('a log-in with an unknown address gets the same response in the same time as a log-in with a wrong password', async () => {
    const known: number[] = [];
    const unknown: number[] = [];
    // The test makes only four attempts per email address, so the gateway does not block the test.
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
    // A correct password resets the count of wrong passwords.
    expect((await logIn(person.email, person.password)).status).toBe(200);
  });

  it('five failed log-ins for one e-mail address, known or not, block the client address; login sessions stay valid', async () => {
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

  it('password guesses do not lock out the owner, at a known device or at a new device in another network', async () => {
    const owner = await signUpPerson(baseUrl);
    const cookie = deviceCookieOf(await logIn(owner.email, owner.password));
    const address = newAddress();
    const guesses = Array.from({ length: 80 }, (_, n) =>
      logIn(owner.email, newPassword(), n < 10 ? address : newAddress()),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    // A browser that is not a known device is blocked on networks with earlier sign-in attempts.
    expect(statuses).toContain(429);
    expectError(await logIn(owner.email, owner.password), blocked);
    expectError(await logIn(owner.email, owner.password, address), blocked);
    // The owner's known device can sign in even from the address from which passwords were guessed.
    expect((await logIn(owner.email, owner.password, address, cookie)).status).toBe(200);
    expect((await logIn(owner.email, owner.password, '203.0.113.77')).status).toBe(200);
    // A device that is known for another user cannot sign in to the owner's account.
    const other = await signUpPerson(baseUrl);
    const foreign = deviceCookieOf(await logIn(other.email, other.password, '203.0.113.78'));
    expectError(await logIn(owner.email, owner.password, address, foreign), blocked);
    const forged = cookie.replace(/.{8}$/, 'AAAAAAAA');
    expectError(await logIn(owner.email, owner.password, address, forged), blocked);
  }, 60_000);

  it('only five of 100 concurrent guesses from one client are checked, and at most 21 from 100 clients', async () => {
    const address = newAddress();
    for (const [from, checkedMax] of [
      [() => address, 5],
      // All browsers that are not known devices share a budget of 20 attempts.
      // On a network without earlier password guesses, one additional attempt is allowed.
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

  it('fifty failed log-ins block a client address, and no other address', async () => {
    const address = newAddress();
    const guesses = Array.from({ length: 60 }, (_, n) =>
      logIn(`spray-${n}-${randomUUID()}@example.com`, newPassword(), address),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(50);
    expectError(await logIn(person.email, person.password, address), blocked);
    expect((await logIn(person.email, person.password)).status).toBe(200);
  }, 30_000);

  it('the edge also limits the rate of log-ins, with a separate count for a known device', () =>
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

it('password guesses of other clients cannot prevent a signed-in person from changing the password', async () => {
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
