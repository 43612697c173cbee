import { createPublicKey, sign, verify } from 'node:crypto';
import { sealingKeyPairFromSeed } from '@gateway/messaging';
import { startStack } from '@gateway/testing';
import { SigningKeys } from '../../../apps/account/src/identity/signing-keys.ts';
import {
  createAccountDatabase,
  type AccountDatabase,
} from '../../../apps/account/src/persistence/account-database.ts';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const dayMs = 24 * 60 * 60 * 1000;
const boxKeys = sealingKeyPairFromSeed(Buffer.alloc(32, 7));

describe('the keys that sign session tokens', () => {
  const undo: Undo[] = [];
  let stack: Stack;
  let database: AccountDatabase;
  let now: number;

  beforeAll(async () => {
    stack = await startStack({ apps: [] });
    undo.push(() => stack.stop());
    database = createAccountDatabase({ url: stack.dev.postgres.account });
    undo.push(() => database.close());
  }, 180_000);
  beforeEach(async () => {
    now = Date.now();
    await database.acrossAccounts.signingKey.deleteMany();
  });
  afterAll(() => undoAll(undo), 120_000);

  const open = (keys = boxKeys) => new SigningKeys({ database, boxKeys: keys, now: () => now });
  const kidsOf = async (keys: SigningKeys) => (await keys.publicKeys()).map(({ kid }) => kid);

  it('all replicas have the same signing keys, even if the replicas create the first key concurrently', async () => {
    const replicas = Array.from({ length: 8 }, () => open());
    const kids = await Promise.all(replicas.map(async (keys) => (await keys.current()).kid));
    expect(new Set(kids).size).toBe(1);
    expect(await database.acrossAccounts.signingKey.count()).toBe(1);
  });

  it('signing keys verify the tokens that they sign', async () => {
    const keys = open();
    const { kid, privateKey } = await keys.current();
    const jwk = (await keys.publicKeys()).find((key) => key.kid === kid)!;
    const signature = sign('sha256', Buffer.from('a token'), privateKey);
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    expect(verify('sha256', Buffer.from('a token'), publicKey, signature)).toBe(true);
  });

  it('signing keys are published a day before use, verify tokens for two days after rotation, and are then removed', async () => {
    const first = (await open().current()).kid;
    now += 29 * dayMs - 1_000;
    expect(await kidsOf(open())).toEqual([first]);
    now += 2_000;
    const [, second] = await kidsOf(open());
    expect(second).toBeDefined();
    expect((await open().current()).kid).toBe(first);
    now += dayMs;
    expect((await open().current()).kid).toBe(second);
    expect(await kidsOf(open())).toEqual([first, second]);
    now += 2 * dayMs;
    expect(await kidsOf(open())).toEqual([second]);
    expect((await open().current()).kid).toBe(second);
    now += 40 * dayMs;
    const [third, ...others] = await kidsOf(open());
    expect(others).toEqual([]);
    expect((await open().current()).kid).toBe(third);
    expect(await database.acrossAccounts.signingKey.count()).toBe(1);
  });

  it('signing keys are recreated when the secret changes, and the old keys still verify tokens', async () => {
    const first = (await open().current()).kid;
    const others = open(sealingKeyPairFromSeed(Buffer.alloc(32, 8)));
    const { kid } = await others.current();
    expect(kid).not.toBe(first);
    expect(await kidsOf(others)).toEqual([first, kid]);
  });

  it('a copy of the database cannot be used to sign tokens', async () => {
    await open().current();
    const [row] = await database.acrossAccounts.signingKey.findMany();
    expect(JSON.stringify(row!.publicJwk)).not.toContain('"d"');
    expect(Buffer.from(row!.sealedPrivateKey, 'base64').includes(Buffer.from('2a8648ce3d0201', 'hex'))).toBe(
      false,
    );
  });
});
