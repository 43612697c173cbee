import {
  accountEpochName,
  createAccount,
  createKey,
  keyEpochName,
  revokeKey,
  updateKey,
} from '@gateway/contracts';
import { createSealingKeyPair, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
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

it('every change to a key writes its epoch with an expiry, and a revocation writes a negative epoch', async () => {
  const keyId = await makeKey();
  const created = await untilEpoch(keyId, (epoch) => epoch > 0);
  await edge.call(updateKey, { accountId, keyId, body: { name: 'renamed' } });
  const changed = await untilEpoch(keyId, (epoch) => epoch > created);
  await edge.call(revokeKey, { accountId, keyId });
  await untilEpoch(keyId, (epoch) => epoch < -changed);
  const seconds = await redis.ttl(keyEpochName(accountId, keyId));
  // The Redis key with the epoch must outlive every grant (310 s), but it must expire eventually.
  expect(seconds).toBeGreaterThan(310);
  expect(seconds).toBeLessThanOrEqual(900);
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

it('an epoch that could not be written while Redis was down is written when Redis returns', async () => {
  const keyId = await makeKey();
  await untilEpoch(keyId, (epoch) => epoch > 0);
  await stack.service('redis-cache').stop();
  await edge.call(revokeKey, { accountId, keyId });
  await stack.service('redis-cache').start();
  await untilEpoch(keyId, (epoch) => epoch < 0);
}, 60_000);

it('an epoch that Redis refused is written once Redis accepts writes, without a new connection', async () => {
  const board = new RedisEpochBoard(redis);
  const name = accountEpochName(newId());
  // A replica that waits for its promotion rejects writes. A Redis server with full memory accepts epochs.
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
