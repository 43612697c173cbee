import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { createLogger } from '@gateway/observability';
import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { connectRedis } from '../../../apps/edge-gateway/src/edge-stores.ts';
import { RedisRateLimiter } from '../../../apps/edge-gateway/src/rate-limits/redis-rate-limiter.adapter.ts';
import type { RateDecision } from '../../../apps/edge-gateway/src/rate-limits/rate-limiter.port.ts';
import { eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let replicas: RedisRateLimiter[];
const logged: string[] = [];

beforeAll(async () => {
  stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
  replicas = await Promise.all([1, 2, 3].map(() => connect()));
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

async function connect(): Promise<RedisRateLimiter> {
  const destination = new Writable({
    write(line: Buffer, _, done) {
      logged.push((JSON.parse(line.toString()) as { msg: string }).msg);
      done();
    },
  });
  const log = createLogger({ service: 'test', instanceId: 'test', level: 'info', destination });
  const redis = connectRedis(stack.dev.redis_cache_url, log, 10_000);
  undo.push(() => redis.disconnect());
  await eventually(() => (redis.status === 'ready' ? true : undefined));
  return new RedisRateLimiter(redis, log);
}

const createCaller = (rateLimitRpm: number) => ({
  accountId: randomUUID(),
  keyId: randomUUID(),
  rateLimitRpm,
});
const ask = (count: number, caller: ReturnType<typeof createCaller>): Promise<RateDecision[]> =>
  Promise.all(Array.from({ length: count }, async (_, at) => replicas[at % 3]!.admit(caller)));
const admittedOf = (decisions: readonly RateDecision[]) =>
  decisions.filter(({ admitted }) => admitted).length;

it('2,000 concurrent requests over three replicas: exactly the limit is admitted, and each response has the remaining count', async () => {
  const decisions = await ask(2_000, createCaller(200));
  expect(admittedOf(decisions)).toBe(200);
  const left = decisions.filter(({ admitted }) => admitted).map(({ remaining }) => remaining);
  expect(left.sort((a, b) => a - b)).toEqual([...Array(200).keys()]);
  for (const { admitted, remaining, resetMs, local } of decisions) {
    expect(local).toBe(false);
    expect(resetMs).toBeGreaterThan(0);
    expect(resetMs).toBeLessThanOrEqual(60_500);
    if (!admitted) expect(remaining).toBe(0);
  }
});

describe('requests counted from an earlier minute', () => {
  /**
   * Writes the state of a rate limit window to Redis.
   * @param counts the number of requests by the requests' age in steps of half a second
   */
  async function remember(caller: ReturnType<typeof createCaller>, counts: Record<number, number>) {
    const redis = new Redis(stack.dev.redis_cache_url);
    const [seconds, micros] = await redis.time();
    const now = Math.floor((Number(seconds) * 1000 + Number(micros) / 1000) / 500);
    const steps = Object.entries(counts).map(([ago, count]) => [`${now - Number(ago)}`, count] as const);
    const total = steps.reduce((sum, [, count]) => sum + count, 0);
    const oldest = Math.min(...steps.map(([step]) => Number(step)));
    await redis.hset(`rpm:{${caller.accountId}}:${caller.keyId}`, {
      ...Object.fromEntries(steps),
      total,
      oldest,
    });
    redis.disconnect();
  }

  it.each([
    ['do not count if the requests are older than a minute', { 125: 30, 60: 20 }, 20],
    ['do not count if the key sent no requests for a long time', { 400: 30, 300: 5, 60: 20, 3: 1 }, 21],
    ['count until the requests are a minute old', { 110: 30, 60: 20 }, 50],
    ['leave no count if all requests are older than a minute', { 300: 30 }, 0],
  ])('requests from an earlier minute %s', async (_, counts, left) => {
    const caller = createCaller(100);
    await remember(caller, counts);
    const [first, second] = [await replicas[0]!.admit(caller), await replicas[1]!.admit(caller)];
    expect([first.remaining, second.remaining]).toEqual([100 - left - 1, 100 - left - 2]);
  });

  it('the rate limiter reports when the oldest request leaves the window', async () => {
    const caller = createCaller(20);
    await remember(caller, { 125: 7, 60: 15, 10: 5 });
    for (const replica of replicas) {
      const { admitted, resetMs } = await replica.admit(caller);
      expect(admitted).toBe(false);
      expect(Math.abs(resetMs - 30_000)).toBeLessThan(5_000);
    }
  });
});

it('when Redis is killed, a logged share of the limit applies, and the whole limit applies after the restart', async () => {
  const caller = createCaller(1_600);
  await stack.service('redis-cache').kill();
  const away = await ask(2_000, caller);
  expect(away.every(({ local }) => local)).toBe(true);
  // Without Redis, each of the three processes may admit one eighth of the limit.
  // At first, each process may admit only one sixtieth of this eighth.
  expect(admittedOf(away)).toBeGreaterThanOrEqual(3);
  expect(admittedOf(away)).toBeLessThanOrEqual((1_600 * 3) / 8);
  expect(logged.filter((msg) => msg.startsWith('rate limits are local'))).toHaveLength(3);

  await stack.service('redis-cache').start();
  await eventually(async () => {
    const decisions = await ask(3, caller);
    return decisions.every(({ local }) => !local) ? true : undefined;
  });
  expect(logged.filter((msg) => msg.startsWith('rate limits are shared again'))).toHaveLength(3);
  const back = await ask(2_000, caller);
  expect(admittedOf(back)).toBeGreaterThan(1_600 - 300);
  expect(admittedOf(back)).toBeLessThanOrEqual(1_600);
}, 60_000);

it('when Redis loses its data, no replica admits requests that were admitted before', async () => {
  const caller = createCaller(60);
  expect(admittedOf(await ask(90, caller))).toBe(60);
  // Each replica stores the request count from the last Redis reply.
  await ask(3, caller);
  const redis = new Redis(stack.dev.redis_cache_url);
  await redis.flushall();
  redis.disconnect();
  expect(admittedOf(await ask(90, caller))).toBe(0);
});

it('requests before, during and after an outage of Redis together stay within the limit', async () => {
  const caller = createCaller(480);
  const before = admittedOf(await ask(420, caller));
  await stack.service('redis-cache').kill();
  const during: RateDecision[] = [];
  await eventually(async () => {
    const decisions = await ask(30, caller);
    during.push(...decisions);
    return decisions.every(({ local }) => local) && admittedOf(during) >= 3 ? true : undefined;
  });
  await stack.service('redis-cache').start();
  // Redis lost its data, so the replicas restore the count and add the requests that they admitted without Redis.
  // A request that arrives before all replicas have reported their counts may exceed the limit (docs/guides/limits.md).
  const redis = new Redis(stack.dev.redis_cache_url);
  undo.push(() => redis.disconnect());
  await eventually(async () => {
    const [name = ''] = await redis.keys(`rpm:{${caller.accountId}}*`);
    return Number(await redis.hget(name, 'total')) >= before + admittedOf(during) ? true : undefined;
  });
  const after: RateDecision[] = [];
  await eventually(async () => {
    const decisions = await ask(300, caller);
    after.push(...decisions);
    return decisions.every(({ local }) => !local) ? true : undefined;
  });
  expect(before).toBe(420);
  expect(before + admittedOf(during) + admittedOf(after)).toBeLessThanOrEqual(480);
}, 60_000);
