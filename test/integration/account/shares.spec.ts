import {
  authenticateKey,
  createAccount,
  createKey,
  getIdentitySealingKey,
  logIn,
  setToolLists,
  signUp,
  updateKey,
} from '@gateway/contracts';
import { keySha256 } from '@gateway/interchange';
import { createSealingKeyPair, openSealed, seal, type Messaging } from '@gateway/messaging';
import { startStack } from '@gateway/testing';
import { connectAs, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const recipient = createSealingKeyPair();
const credentials = { email: 'bystander@example.com', password: 'a long enough password' };
const changesCount = 750;
/**
 * The maximum time in milliseconds for a call by another account, far below the call's deadline. On an idle
 * machine, a call takes about 5 ms, and a call with a password about 30 ms.
 */
const bystanderMsMax = 1_000;

interface Timed {
  readonly ms: number;
  readonly outcome: string;
}

async function time(run: () => Promise<unknown>): Promise<Timed> {
  const startedAt = performance.now();
  const outcome = await run().then(
    () => 'ok',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
  return { ms: performance.now() - startedAt, outcome };
}

describe('the database connections of the account service', () => {
  let stack: Stack;
  let edge: Messaging;
  let operator: Messaging;
  let hostile: { accountId: string; keyId: string };
  /**
   * New API keys for the bystander, which is the account that sends few calls. Each request uses a different
   * key, so that the edge has no cached grant.
   */
  const bystanderKeys: string[] = [];
  const undo: Undo[] = [];

  async function makeKey(accountId: string) {
    const request = { accountId, body: { name: 'a key' }, recipientPublicKey: recipient.publicKey };
    const { key, sealedSecret } = await edge.call(createKey, request);
    return { keyId: key.id, secret: openSealed(sealedSecret, recipient.privateKey).toString('utf8') };
  }

  async function sealCredentials(): Promise<string> {
    const { publicKey } = await edge.call(getIdentitySealingKey, {});
    return seal(Buffer.from(JSON.stringify(credentials)), publicKey);
  }

  const enter = async () =>
    edge.call(logIn, {
      sealedCredentials: await sealCredentials(),
      clientAddress: '192.0.2.7',
      recipientPublicKey: recipient.publicKey,
    });

  beforeAll(async () => {
    stack = await startStack({ apps: ['account'] });
    undo.push(() => stack.stop());
    [edge, operator] = await Promise.all([connectAs(stack, 'edge-gateway'), connectAs(stack, 'operator')]);
    undo.push(
      () => edge.close(),
      () => operator.close(),
    );
    const { accountId } = await operator.call(createAccount, { name: 'hostile' });
    hostile = { accountId, keyId: (await makeKey(accountId)).keyId };
    const bystander = await operator.call(createAccount, { name: 'bystander' });
    for (let made = 0; made < 20; made++) bystanderKeys.push((await makeKey(bystander.accountId)).secret);
    await edge.call(signUp, {
      sealedCredentials: await sealCredentials(),
      recipientPublicKey: recipient.publicKey,
    });
    await enter();
  }, 180_000);

  afterAll(() => undoAll(undo), 120_000);

  it('750 concurrent changes by one account do not delay the key checks and sign-ins of other accounts', async () => {
    const { accountId, keyId } = hostile;
    const change = (at: number) =>
      at % 2 === 0
        ? edge.call(updateKey, { accountId, keyId, body: { name: `name ${at}` } })
        : edge.call(setToolLists, { accountId, keyId, body: { denied_tools: [`tool ${at}`] } });
    const changes = Array.from({ length: changesCount }, (_, at) => time(() => change(at)));
    const bystander: Timed[] = [];
    for (const secret of bystanderKeys) {
      bystander.push(await time(() => edge.call(authenticateKey, { keySha256: keySha256(secret) })));
      bystander.push(await time(enter));
    }
    const outcomes = Map.groupBy(await Promise.all(changes), ({ outcome }) => outcome);
    expect([...outcomes.keys()].sort()).toEqual(['ok', 'rate_limit_exceeded']);
    expect(new Set(bystander.map(({ outcome }) => outcome))).toEqual(new Set(['ok']));
    expect(Math.max(...bystander.map(({ ms }) => ms))).toBeLessThan(bystanderMsMax);
  }, 60_000);

  it('a burst of changes that fits in the account’s queue is served completely', async () => {
    const { accountId, keyId } = hostile;
    const changes = Array.from({ length: 60 }, (_, at) =>
      edge.call(updateKey, { accountId, keyId, body: { name: `burst ${at}` } }),
    );
    await expect(Promise.all(changes)).resolves.toHaveLength(60);
  });

  it('two accounts with many changes each make progress at the same time', async () => {
    const other = await operator.call(createAccount, { name: 'other' });
    const { keyId } = await makeKey(other.accountId);
    const ended: string[] = [];
    const changeAll = (accountId: string, id: string, name: string) =>
      Array.from({ length: 40 }, async (_, at) => {
        await edge.call(updateKey, { accountId, keyId: id, body: { name: `turn ${at}` } });
        ended.push(name);
      });
    await Promise.all([
      ...changeAll(hostile.accountId, hostile.keyId, 'first'),
      ...changeAll(other.accountId, keyId, 'second'),
    ]);
    expect(ended.indexOf('second')).toBeLessThan(20);
  });
});
