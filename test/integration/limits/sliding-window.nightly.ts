import { randomUUID } from 'node:crypto';
import { startStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { connectRedis } from '../../../apps/edge-gateway/src/edge-stores.ts';
import { RedisRateLimiter } from '../../../apps/edge-gateway/src/rate-limits/redis-rate-limiter.adapter.ts';
import { eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';
import { quietLog } from './replicas.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

/**
 * The maximum difference in milliseconds between a request's admission time and the time that the test records
 * for it. The Redis clock may differ from this process's clock, and responses take time.
 */
const delayMs = 1_000;

it('over four minutes of bursts, every minute admits at most the limit and at least 99% of it', async () => {
  const caller = { accountId: randomUUID(), keyId: randomUUID(), rateLimitRpm: 200 };
  const replicas = await Promise.all([1, 2, 3].map(() => connect()));
  const admittedAt: number[] = [];
  const startedAt = Date.now();
  for (let asked = 0; Date.now() - startedAt < 240_000; asked += 50) {
    const decisions = await Promise.all(
      Array.from({ length: 50 }, (_, at) => replicas[at % replicas.length]!.admit(caller)),
    );
    for (const { admitted, local } of decisions) {
      expect(local).toBe(false);
      if (admitted) admittedAt.push(Date.now() - startedAt);
    }
    await waitMs(250 + (asked % 400));
  }
  for (const from of admittedAt) {
    const inMinute = admittedAt.filter((at) => at >= from && at < from + 60_000 - delayMs);
    expect(inMinute.length).toBeLessThanOrEqual(caller.rateLimitRpm);
  }
  // The requests fill four windows of one minute. The start of a window may be delayed by up to half a second.
  expect(admittedAt.length).toBeGreaterThanOrEqual(4 * caller.rateLimitRpm * 0.99);
  expect(admittedAt.length).toBeLessThanOrEqual(4 * caller.rateLimitRpm * 1.01);
}, 300_000);

async function connect(): Promise<RedisRateLimiter> {
  const redis = connectRedis(stack.dev.redis_cache_url, quietLog, 10_000);
  undo.push(() => redis.disconnect());
  await eventually(() => (redis.status === 'ready' ? true : undefined));
  return new RedisRateLimiter(redis, quietLog);
}
