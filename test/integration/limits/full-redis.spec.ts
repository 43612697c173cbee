import { AccountCache, connectCacheRedis } from '@gateway/messaging';
import { createLogger } from '@gateway/observability';
import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { uuidv7 } from 'uuidv7';
import { RedisRateLimiter } from '../../../apps/edge-gateway/src/rate-limits/redis-rate-limiter.adapter.ts';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const log = createLogger({ service: 'test', instanceId: 'test', level: 'silent' });
const undo: Undo[] = [];
let stack: Stack;
let redis: Redis;

beforeAll(async () => {
  stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
  redis = new Redis(stack.dev.redis_url);
  undo.push(() => redis.disconnect());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

async function connect(): Promise<Redis> {
  const connection = connectCacheRedis(stack.dev.redis_url, {
    commandTimeoutMs: 5_000,
    onError: () => undefined,
  });
  undo.push(() => connection.disconnect());
  await new Promise((resolve) => connection.once('ready', resolve));
  return connection;
}

it('one account cannot fill the cache: each account has a limited share', async () => {
  let refused = 0;
  const share = {
    purpose: 'test',
    bytesPerDayMax: 10_000,
    onRefused: (values: number) => (refused += values),
  };
  const cache = new AccountCache(await connect(), share);
  const [noisy, quiet] = [uuidv7(), uuidv7()];
  const value = Buffer.alloc(1_000, 7);
  const stored: boolean[] = [];
  for (let at = 0; at < 40; at++) stored.push(await cache.set(noisy, `value:${at}`, value, 60));
  expect(stored.filter(Boolean)).toHaveLength(8);
  expect(refused).toBe(32);
  // Replacing a value needs no additional memory. Another account can still store values in the full cache.
  expect(await cache.set(noisy, 'value:0', value, 60)).toBe(true);
  expect(await cache.set(quiet, 'other:0', value, 60)).toBe(true);
  expect((await cache.mgetBuffer('value:7', 'value:8', 'other:0')).map((each) => each?.length)).toEqual([
    1_000,
    undefined,
    1_000,
  ]);
});

it('values that are stored with one command count toward the same share', async () => {
  let refused = 0;
  const share = {
    purpose: 'test',
    bytesPerDayMax: 10_000,
    onRefused: (values: number) => (refused += values),
  };
  const cache = new AccountCache(await connect(), share);
  const accountId = uuidv7();
  const entries = Array.from({ length: 10 }, (_, at) => [`batch:${at}`, Buffer.alloc(1_000, at)] as const);
  expect(await cache.setAll(accountId, entries, 60)).toBe(8);
  expect(refused).toBe(2);
  const stored = await cache.mgetBuffer('batch:0', 'batch:7', 'batch:8');
  expect(stored.map((each) => each?.[0])).toEqual([0, 7, undefined]);
  // The stored values need no additional memory, so only the two new values are refused again.
  expect(await cache.setAll(accountId, entries, 60)).toBe(8);
  expect(await cache.set(accountId, 'batch:9', Buffer.alloc(1_000), 60)).toBe(false);
  expect(refused).toBe(5);
});

it('rate limits stay exact while Redis is out of memory, so other accounts are not rejected', async () => {
  const connection = await connect();
  const limiter = new RedisRateLimiter(connection, log);
  const used = /used_memory:(\d+)/.exec(await redis.info('memory'))?.[1];
  await redis.config('SET', 'maxmemory', used ?? '1');
  try {
    await expect(connection.set('more', 'x'.repeat(100))).rejects.toThrow(/OOM/);
    const caller = { accountId: uuidv7(), keyId: uuidv7(), rateLimitRpm: 20 };
    const decisions = await Promise.all(Array.from({ length: 30 }, () => limiter.admit(caller)));
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(20);
    expect(decisions.filter(({ local }) => local)).toEqual([]);
  } finally {
    await redis.config('SET', 'maxmemory', '0');
  }
});
