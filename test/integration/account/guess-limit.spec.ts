import { startStack } from '@gateway/testing';
import { GuessLimit, networkOf } from '../../../apps/account/src/identity/guess-limit.ts';
import {
  createAccountDatabase,
  type AccountDatabase,
} from '../../../apps/account/src/persistence/account-database.ts';
import { undoAll, type Undo } from '../stack.fixture.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const email = 'owner@example.com';

describe('the budgets for wrong passwords', () => {
  const undo: Undo[] = [];
  let database: AccountDatabase;
  let guesses: GuessLimit;
  let now: number;
  let lastNetwork: number;

  beforeAll(async () => {
    const stack = await startStack({ apps: [] });
    undo.push(() => stack.stop());
    database = createAccountDatabase({ url: stack.dev.postgres.account });
    undo.push(() => database.close());
  }, 180_000);
  beforeEach(async () => {
    now = Date.now();
    lastNetwork = 0;
    await database.acrossAccounts.loginGuesses.deleteMany();
    guesses = new GuessLimit(database, Buffer.alloc(32, 9), () => now);
  });
  afterAll(() => undoAll(undo), 120_000);

  /** Returns a client address in a network without earlier password guesses. */
  const freshAddress = () => {
    lastNetwork += 1;
    return `100.${lastNetwork >> 8}.${lastNetwork & 255}.7`;
  };

  /**
   * Makes one wrong password guess. Returns true if the limit admits the guess, so that the service would
   * check the password.
   */
  async function guess(clientAddress: string, deviceId: string | null = null, at = email): Promise<boolean> {
    const admitted = await guesses.admit({ email: at, clientAddress, deviceId }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'too_many_attempts' });
      return null;
    });
    if (admitted !== null) await guesses.blame(admitted);
    return admitted !== null;
  }

  /** Signs in with the correct password. Returns false if the service rejects the sign-in. */
  async function enter(clientAddress: string, deviceId: string | null = null): Promise<boolean> {
    const admitted = await guesses.admit({ email, clientAddress, deviceId }).catch(() => null);
    if (admitted !== null) await guesses.absolve(admitted);
    return admitted !== null;
  }

  /**
   * Guesses passwords from new networks until the service rejects an attempt. Returns the number of checked
   * passwords.
   */
  async function guessUntilRefused(): Promise<number> {
    let checked = 0;
    while (await guess(freshAddress())) checked += 1;
    return checked;
  }

  it('password guesses from any number of addresses never lock the owner out at a known device', async () => {
    expect(await guessUntilRefused()).toBeGreaterThan(200);
    // The owner can sign in even from a client address with too many wrong guesses.
    for (let n = 0; n < 10; n++) await guess('192.0.2.1');
    expect(await guess('192.0.2.1')).toBe(false);
    expect(await enter('192.0.2.1', 'device of the owner')).toBe(true);
    expect(await enter(freshAddress(), 'device of the owner')).toBe(true);
  }, 60_000);

  it('password guesses do not lock the owner out at a new device in a network without wrong guesses', async () => {
    const attackers = Array.from({ length: 100 }, freshAddress);
    for (const address of attackers) for (let n = 0; n < 5; n++) await guess(address);
    expect(await enter('203.0.113.9')).toBe(true);
    // A sign-in with the correct password does not use up the network's only attempt.
    expect(await enter('203.0.113.9')).toBe(true);
    // A network from which the attacker has guessed before gets no second attempt.
    expect(await guess(attackers[50]!)).toBe(false);
  }, 60_000);

  it('all unknown devices together have at most 500 guesses per e-mail address and day', async () => {
    let checked = 0;
    for (const end = now + dayMs; now < end; now += 5 * minuteMs) checked += await guessUntilRefused();
    expect(checked).toBeGreaterThan(220);
    expect(checked).toBeLessThanOrEqual(500);
  }, 120_000);

  it.each([
    ['one client address with one e-mail address', 105, () => guess('192.0.2.1')],
    ['one client address with any e-mail address', 150, () => guessAnyone('192.0.2.1')],
    ['a stolen device token', 215, () => guess('192.0.2.1', 'stolen')],
  ])(
    'the guesses of %s are limited to %i per day',
    async (_who, bound, next) => {
      let checked = 0;
      for (const end = now + dayMs; now < end; now += 5 * minuteMs) while (await next()) checked += 1;
      expect(checked).toBeGreaterThan(bound / 3);
      expect(checked).toBeLessThanOrEqual(bound);
    },
    120_000,
  );

  let anyone = 0;
  const guessAnyone = (address: string) => guess(address, null, `person-${anyone++}@example.com`);

  it('concurrent password guesses are limited as strictly as sequential guesses', async () => {
    const results = await Promise.all(Array.from({ length: 100 }, () => guess('192.0.2.1')));
    expect(results.filter(Boolean)).toHaveLength(5);
    const device = await Promise.all(Array.from({ length: 50 }, () => guess('192.0.2.2', 'a device')));
    // Ten attempts are allowed for the known device, and five for the address without the device token.
    expect(device.filter(Boolean)).toHaveLength(15);
  }, 60_000);

  it('password guesses are admitted again a day after the last wrong guess', async () => {
    await guessUntilRefused();
    now += dayMs + minuteMs;
    expect(await guess('100.0.1.7')).toBe(true);
  }, 60_000);
});

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['20010db800010002/64', '20010db80001/48'],
  ['unknown', 'unknown'],
])('the network of the address %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
