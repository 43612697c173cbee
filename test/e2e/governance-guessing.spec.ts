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
