import { startStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { eventually, undoAll, untilDayLasts, type Stack, type Undo } from '../stack.fixture.ts';
import {
  createKey,
  isReserved,
  readBudget,
  startReplica,
  untilRecovered,
  untilSettled,
  type Replica,
} from './replicas.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let replicas: Replica[];

beforeAll(async () => {
  await untilDayLasts(90_000);
  stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
}, 180_000);
beforeEach(async () => {
  replicas = await Promise.all([1, 2, 3].map(() => startReplica(stack.dev.redis_url)));
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
});
afterAll(() => undoAll(undo), 120_000);

const replicaOf = (at: number) => replicas[at % replicas.length]!;
const reserveAll = (count: number, tokens: number, key: ReturnType<typeof createKey>) =>
  Promise.all(Array.from({ length: count }, async (_, at) => replicaOf(at).budgets.reserve(key, tokens)));
const budgetOf = (key: ReturnType<typeof createKey>) => readBudget(replicas[0]!.redis, key);

it('500 concurrent calls with a nearly exhausted budget exceed the budget by at most the estimate for one call', async () => {
  const [budget, estimate] = [100_000, 1_050];
  const key = createKey(budget);
  const first = await replicaOf(0).budgets.reserve(key, 95_000);
  if (!isReserved(first)) throw new Error('the budget rejected the first request');
  first.settle(95_000);
  await untilSettled(replicas[0]!.redis, key);
  const answers = await reserveAll(500, estimate, key);
  const admitted = answers.filter(isReserved);
  expect(new Set(answers.filter((answer) => !isReserved(answer)))).toEqual(new Set(['exhausted']));
  expect(admitted).toHaveLength(Math.ceil(5_000 / estimate));
  for (const reservation of admitted) reservation.settle(estimate);
  const { today, thisWeek } = await untilSettled(replicas[0]!.redis, key);
  expect({ today, thisWeek }).toEqual({ today: 95_000 + 5 * estimate, thisWeek: 95_000 + 5 * estimate });
  expect(today).toBeLessThanOrEqual(budget + estimate);
});

it('many calls use a shared budget completely, and at most one call exceeds the budget', async () => {
  const [budget, estimate] = [1_000_000, 1_000];
  const key = createKey(budget);
  let saved = 0;
  for (let round = 0; round < 60; round++) {
    const answers = await reserveAll(50, estimate, key);
    for (const reservation of answers.filter(isReserved)) {
      reservation.settle(estimate);
      saved += estimate;
    }
    await waitMs(5);
  }
  const { today } = await eventually(async () => {
    const state = await budgetOf(key);
    return state.today === saved ? state : undefined;
  });
  expect(today).toBeGreaterThan(budget * 0.95);
  expect(today).toBeLessThanOrEqual(budget + estimate);
});

it('the weekly budget is enforced like the daily budget', async () => {
  const key = createKey(1e12, 3_000);
  const answers = await reserveAll(9, 1_000, key);
  expect(answers.filter(isReserved)).toHaveLength(3);
});

it('a new day resets the daily budget, and a new week resets the weekly budget', async () => {
  const today = Math.floor(Date.now() / 86_400_000);
  const weekOf = (day: number) => Math.floor((day + 3) / 7);
  // Weeks start on Monday, and 1970-01-05 was a Monday.
  expect([weekOf(3), weekOf(4), weekOf(10), weekOf(11)]).toEqual([0, 1, 1, 2]);
  for (const daysAgo of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const key = createKey(10_000, 20_000);
    const name = `budget:{${key.accountId}}:${key.keyId}`;
    await replicas[0]!.redis.hset(name, 'spent', `${today - daysAgo} 9000 15000`);
    const [reservation] = (await reserveAll(1, 100, key)).filter(isReserved);
    reservation!.settle(100);
    const spent = await untilSettled(replicas[0]!.redis, key);
    expect({ daysAgo, ...spent }).toMatchObject({
      daysAgo,
      today: daysAgo === 0 ? 9_100 : 100,
      thisWeek: weekOf(today) === weekOf(today - daysAgo) ? 15_100 : 100,
    });
  }
});

it('10,000 aborted requests leave no reservation', async () => {
  const key = createKey(50_000_000);
  for (let batch = 0; batch < 100; batch++) {
    const reservations = (await reserveAll(100, 10_500, key)).filter(isReserved);
    expect(reservations).toHaveLength(100);
    for (const reservation of reservations) reservation.settle(0);
  }
  await Promise.all(replicas.map((replica) => replica.close()));
  const redis = (await startReplica(stack.dev.redis_url)).redis;
  expect(await readBudget(redis, key)).toEqual({ today: 0, thisWeek: 0, held: [0, 0, 0] });
  redis.disconnect();
});

it('other edges can soon use the budget that a busy edge returns', async () => {
  const key = createKey(1_000);
  for (let turn = 0; turn < 2; turn++) {
    const [busy, other] = [replicaOf(turn), replicaOf(turn + 1)];
    const held = await busy.budgets.reserve(key, 1_000);
    if (!isReserved(held)) throw new Error(`the budget rejected the reservation in turn ${turn}`);
    held.settle(0);
    // The returned budget is available to other edges before the 30-second lease ends.
    const given = await eventually(async () => {
      const answer = await other.budgets.reserve(key, 1_000);
      return isReserved(answer) ? answer : undefined;
    }, 15_000);
    given.settle(0);
    await untilSettled(replicas[0]!.redis, key);
    await waitMs(1_000);
  }
});

it('tokens that a killed edge holds become available after the edge’s lease expires', async () => {
  const key = createKey(1_000);
  // Even on a busy machine, the lease lasts until the second edge receives its first request.
  const victim = await startReplica(stack.dev.redis_url, 6);
  const other = replicaOf(1);
  replicas.push(victim);
  expect(isReserved(await victim.budgets.reserve(key, 1_000))).toBe(true);
  victim.kill();
  expect(await other.budgets.reserve(key, 1_000)).toBe('exhausted');
  const freed = await eventually(async () => {
    const answer = await other.budgets.reserve(key, 1_000);
    return isReserved(answer) ? answer : undefined;
  });
  freed.settle(400);
  await eventually(async () => ((await budgetOf(key)).today === 400 ? true : undefined));
});

it('after an account’s deletion, an edge stores nothing about the account, not even for its last requests', async () => {
  const [key, other] = [createKey(1_000_000), createKey(1_000_000)];
  const { budgets, redis } = replicaOf(0);
  const reserve = async (of: typeof key) => {
    const answer = await budgets.reserve(of, 1_000);
    if (!isReserved(answer)) throw new Error('there is room');
    return answer;
  };
  const [held, settled] = [await reserve(key), await reserve(key)];
  settled.settle(1_000);
  await eventually(async () => {
    const { today, held: reserved } = await budgetOf(key);
    // For an API key with many requests, the edge reserves tokens in advance.
    return today === 1_000 && reserved.some((tokens) => tokens > 1_000) ? true : undefined;
  });
  budgets.forget(key.accountId);
  await redis.del(`budget:{${key.accountId}}:${key.keyId}`);

  held.settle(1_000);
  expect(await budgets.reserve(key, 1_000)).toBe('unknown');
  const last = await reserve(other);
  last.settle(500);
  await eventually(async () => ((await budgetOf(other)).today === 500 ? true : undefined));
  await replicaOf(0).close();
  const left = await replicas[1]!.redis.keys(`*${key.accountId}*`);
  expect(left).toEqual([]);
});

it('a raised budget takes effect immediately', async () => {
  const key = createKey(1_000);
  const [first] = await reserveAll(1, 1_000, key);
  if (!isReserved(first)) throw new Error('the budget rejected the first request');
  first.settle(1_000);
  expect(await replicaOf(0).budgets.reserve(key, 1)).toBe('exhausted');
  expect(replicaOf(0).budgets.isExhausted(key)).toBe(true);
  const raised = { ...key, dailyTokenBudget: 2_000 };
  expect(replicaOf(0).budgets.isExhausted(raised)).toBe(false);
  expect(isReserved(await replicaOf(0).budgets.reserve(raised, 500))).toBe(true);
});

it('when Redis is killed and restarts empty, a share of the budget stays available and no usage is lost', async () => {
  const key = createKey(80_000);
  const { budgets } = replicaOf(0);
  const spend = async (tokens: number) => {
    const answer = await budgets.reserve(key, tokens);
    if (isReserved(answer)) answer.settle(tokens);
    return isReserved(answer) ? 'reserved' : answer;
  };
  expect(await spend(40_000)).toBe('reserved');
  await eventually(async () => ((await budgetOf(key)).today === 40_000 ? true : undefined));
  await replicaOf(0).redis.flushall();
  await stack.service('redis').kill();
  // Without Redis, the edge may use one eighth of the remaining 40,000 tokens.
  expect([await spend(4_000), await spend(2_000), await spend(1_000)]).toEqual([
    'reserved',
    'unknown',
    'reserved',
  ]);
  expect(await budgets.reserve(createKey(1_000_000), 1)).toBe('unknown');
  await stack.service('redis').start();
  const back = await eventually(async () => {
    const state = await budgetOf(key).catch(() => undefined);
    return state?.today === 45_000 ? state : undefined;
  });
  expect(back.thisWeek).toBe(45_000);
  await untilRecovered(replicaOf(0).redis);
  expect(await spend(34_000)).toBe('reserved');
  expect(isReserved(await budgets.reserve(createKey(1_000), 1))).toBe(true);
}, 60_000);
