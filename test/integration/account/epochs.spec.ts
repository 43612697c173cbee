import {
  accountEpochName,
  createAccount,
  createKey,
  keyChanged,
  keyEpochName,
  accountChanged,
  revokeKey,
  rotateKey,
  updateKey,
} from '@gateway/contracts';
import { createSealingKeyPair, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import pg from 'pg';
import { RedisEpochBoard } from '../../../apps/account/src/announce/redis-epoch-board.adapter.ts';
import { connectAs, eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let edge: Messaging;
let redis: Redis;
let accountId: string;

beforeAll(async () => {
  stack = await startStack({ apps: ['account'] });
  undo.push(() => stack.stop());
  edge = await connectAs(stack, 'edge-gateway');
  undo.push(() => edge.close());
  redis = new Redis(stack.dev.redis_cache_url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  undo.push(() => redis.disconnect());
  const operator = await connectAs(stack, 'operator');
  accountId = (await operator.call(createAccount, { name: 'epochs' })).accountId;
  await operator.close();
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

const { publicKey } = createSealingKeyPair();
async function makeKey(): Promise<string> {
  const request = { accountId, body: { name: 'a key' }, recipientPublicKey: publicKey };
  return (await edge.call(createKey, request)).key.id;
}
const epochOf = async (keyId: string) => Number(await redis.get(keyEpochName(accountId, keyId)));
const untilEpoch = (keyId: string, isRight: (epoch: number) => boolean) =>
  eventually(async () => {
    const epoch = await epochOf(keyId);
    return isRight(epoch) ? epoch : undefined;
  });

it('each change of a key writes the account’s new epoch with an expiry, and a revocation writes a negative epoch', async () => {
  const keyId = await makeKey();
  const created = await untilEpoch(keyId, (epoch) => epoch > 0);
  await edge.call(updateKey, { accountId, keyId, body: { name: 'renamed' } });
  const changed = await untilEpoch(keyId, (epoch) => epoch > created);
  await edge.call(revokeKey, { accountId, keyId });
  await untilEpoch(keyId, (epoch) => epoch < -changed);
  const seconds = await redis.ttl(keyEpochName(accountId, keyId));
  // An epoch's Redis key must outlive every grant (310 s), but must eventually expire.
  expect(seconds).toBeGreaterThan(310);
  expect(seconds).toBeLessThanOrEqual(900);
});

describe('a change that was committed but not announced', () => {
  const heard: { keyId: string | null; accountId: string; epoch: number; revoked: boolean }[] = [];
  const untilHeard = (isRight: (change: (typeof heard)[number]) => boolean) =>
    eventually(() => heard.find(isRight));
  let database: pg.Pool;

  beforeAll(async () => {
    edge.onBroadcast(keyChanged, (change) => heard.push(change));
    edge.onBroadcast(accountChanged, ({ deleted, ...change }) =>
      heard.push({ ...change, keyId: null, revoked: deleted }),
    );
    await edge.flush();
    database = new pg.Pool({ connectionString: stack.dev.postgres.account, max: 1 });
    undo.push(() => database.end());
  });
  /** Waits until all changes are announced, so that the periodic search for unannounced changes finds none. */
  const untilAnnounced = () =>
    eventually(async () => {
      const { rows } = await database.query('SELECT 1 FROM accounts WHERE announced_epoch < epoch');
      return rows.length === 0 ? true : undefined;
    });

  it('a repeated revocation announces the change, although the revocation is still rejected', async () => {
    const keyId = await makeKey();
    await edge.call(revokeKey, { accountId, keyId });
    await untilEpoch(keyId, (epoch) => epoch < 0);
    await untilAnnounced();
    await redis.del(keyEpochName(accountId, keyId));
    heard.length = 0;
    await expect(edge.call(revokeKey, { accountId, keyId })).rejects.toMatchObject({ code: 'not_found' });
    await untilHeard((change) => change.keyId === keyId && change.revoked);
    await untilEpoch(keyId, (epoch) => epoch < 0);
    await expect(edge.call(revokeKey, { accountId: newId(), keyId })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('a repeated rotation announces the change, and returns the stored reply', async () => {
    const keyId = await makeKey();
    const rotation = {
      ...{ accountId, keyId, recipientPublicKey: publicKey, body: { overlap_seconds: 0 } },
      idempotencyKeySha256: 'a'.repeat(64),
    };
    await edge.call(rotateKey, rotation);
    await untilHeard((change) => change.keyId === keyId);
    heard.length = 0;
    expect(await edge.call(rotateKey, rotation)).toMatchObject({ replayed: true });
    await untilHeard((change) => change.keyId === keyId);
  });

  it('the sweep announces the change only once', async () => {
    const [keyId, other] = [await makeKey(), await makeKey()];
    await untilEpoch(other, (epoch) => epoch > 0);
    await untilAnnounced();
    heard.length = 0;
    // Commits a change without an announcement, as if the service was killed after the commit.
    await database.query(
      `WITH changed AS (UPDATE accounts SET epoch = epoch + 1 WHERE id = $1 RETURNING epoch)
       UPDATE api_keys SET revoked_at = now(), epoch = changed.epoch FROM changed WHERE id = $2`,
      [accountId, keyId],
    );
    const { epoch } = await untilHeard((change) => change.keyId === keyId && change.revoked);
    await untilHeard(
      (change) => change.keyId === null && change.accountId === accountId && change.epoch === epoch,
    );
    await untilEpoch(keyId, (written) => written === -epoch);
    await untilAnnounced();
    expect(heard.filter((change) => change.keyId === other)).toEqual([]);
  });

  it('the change is announced even if a later change was already announced', async () => {
    const [keyId, later] = [await makeKey(), await makeKey()];
    await untilEpoch(later, (epoch) => epoch > 0);
    await untilAnnounced();
    heard.length = 0;
    await database.query(
      `WITH changed AS (UPDATE accounts SET epoch = epoch + 1 WHERE id = $1 RETURNING epoch)
       UPDATE api_keys SET revoked_at = now(), epoch = changed.epoch FROM changed WHERE id = $2`,
      [accountId, keyId],
    );
    await edge.call(updateKey, { accountId, keyId: later, body: { name: 'later' } });
    await untilHeard((change) => change.keyId === keyId && change.revoked);
    await untilAnnounced();
  });
});

it('a late write does not restore an older epoch, and a revocation is final', async () => {
  const board = new RedisEpochBoard(redis);
  const name = accountEpochName(newId());
  const writeAll = async (...epochs: number[]) => {
    for (const epoch of epochs) board.write(name, epoch);
    await redis.ping();
    return Number(await redis.get(name));
  };
  expect(await writeAll(5, 7, 6)).toBe(7);
  expect(await writeAll(-9, 8, 10)).toBe(-9);
});

it('an epoch that was not written while Redis was down is written when Redis is available again', async () => {
  const keyId = await makeKey();
  await untilEpoch(keyId, (epoch) => epoch > 0);
  await stack.service('redis-cache').stop();
  await edge.call(revokeKey, { accountId, keyId });
  await stack.service('redis-cache').start();
  await untilEpoch(keyId, (epoch) => epoch < 0);
}, 60_000);

it('an epoch that Redis refused is written as soon as Redis accepts writes, without a new connection', async () => {
  const board = new RedisEpochBoard(redis);
  const name = accountEpochName(newId());
  // The test makes Redis a replica, which rejects all writes, because a Redis with full memory accepts epochs.
  await redis.replicaof('127.0.0.1', '1');
  try {
    board.write(name, 5);
    await redis.ping();
    expect(await redis.get(name)).toBeNull();
  } finally {
    await redis.replicaof('NO', 'ONE');
  }
  expect(await eventually(async () => (await redis.get(name)) ?? undefined, 10_000)).toBe('5');
});
