import { randomFrom, startStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { eventually, undoAll, untilDayLasts, type Stack, type Undo } from '../stack.fixture.ts';
import {
  connectTo,
  createKey,
  isReserved,
  readBudget,
  startReplica,
  untilRecovered,
  untilSettled,
  type Replica,
} from './replicas.fixture.ts';
import { SimulatedEdges } from './simulated-edges.fixture.ts';

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
const budgetOf = (key: ReturnType<typeof createKey>) => readBudget(replicas[0]!.redis, key);

const emptyRedis = async () => {
  await replicas[0]!.redis.flushall();
  await untilRecovered(replicas[0]!.redis);
};
const today = () => Math.floor(Date.now() / 86_400_000);

it('a new edge restores the usage of a key from the request log, so that at most one request overspends', async () => {
  const key = createKey(100_000, 150_000);
  await emptyRedis();
  const spent = { day: today(), today: 95_000, thisWeek: 120_000 };
  const read = () => Promise.resolve(new Map([[key.keyId, spent]]));
  const edge = await startReplica(stack.dev.redis_url, undefined, read);
  undo.push(() => edge.close());
  const answers = await Promise.all(Array.from({ length: 30 }, async () => edge.budgets.reserve(key, 1_050)));
  expect(answers.filter(isReserved)).toHaveLength(5);
  expect(await budgetOf(key)).toMatchObject({ today: 95_000, thisWeek: 120_000 });
});

it('an edge that cannot read the request log restores the usage as soon as the log is available', async () => {
  const key = createKey(100_000);
  await emptyRedis();
  let isUp = false;
  const spent = { day: today(), today: 99_999, thisWeek: 99_999 };
  const usage = new Map([[key.keyId, spent]]);
  const read = () => (isUp ? Promise.resolve(usage) : Promise.reject(new Error('away')));
  const edge = await startReplica(stack.dev.redis_url, undefined, read);
  undo.push(() => edge.close());
  const first = await edge.budgets.reserve(key, 1_000);
  expect(isReserved(first)).toBe(true);
  isUp = true;
  await eventually(async () => ((await budgetOf(key)).today >= 99_999 ? true : undefined));
  if (isReserved(first)) first.settle(1_000);
  await untilSettled(replicas[0]!.redis, key);
  expect(await edge.budgets.reserve(key, 1_000)).toBe('exhausted');
});

it('an edge that still knows the usage of a key restores the usage, also without the request log', async () => {
  const key = createKey(100_000);
  const edge = await startReplica(stack.dev.redis_url, undefined, () => Promise.reject(new Error('away')));
  undo.push(() => edge.close());
  const first = await edge.budgets.reserve(key, 1_000);
  if (isReserved(first)) first.settle(100_000);
  await untilSettled(replicas[0]!.redis, key);
  await emptyRedis();
  const other = await replicas[1]!.budgets.reserve(createKey(10), 1);
  expect(isReserved(other)).toBe(true);
  expect(await edge.budgets.reserve(key, 1_000)).toBe('exhausted');
});

it('until all edges have had time to report, requests are sent unoptimized', async () => {
  const key = createKey(100_000);
  const first = await replicaOf(0).budgets.reserve(key, 1_000);
  if (isReserved(first)) first.settle(1_000);
  await untilSettled(replicas[0]!.redis, key);
  await replicas[0]!.redis.flushall();
  expect(await replicaOf(1).budgets.reserve(key, 1_000)).toBe('unknown');
  await untilRecovered(replicas[0]!.redis);
  expect(await budgetOf(key)).toMatchObject({ today: 1_000 });
  expect(isReserved(await replicaOf(1).budgets.reserve(key, 1_000))).toBe(true);
});

it('while three edges spend a budget and Redis is emptied twice, at most one request overspends', async () => {
  const [budget, largest] = [100_000, 2_000];
  const key = createKey(budget);
  const random = randomFrom(20);
  const answers = new Set<unknown>();
  let [saved, isDone] = [0, false];
  const spend = async (edge: Replica) => {
    while (!isDone) {
      const tokens = 1 + Math.floor(random() * largest);
      const answer = await edge.budgets.reserve(key, tokens);
      answers.add(isReserved(answer) ? 'reserved' : answer);
      await waitMs(random() * 500);
      if (!isReserved(answer)) continue;
      answer.settle(tokens);
      saved += tokens;
    }
  };
  const spending = replicas.flatMap((edge) => [spend(edge), spend(edge)]);
  for (let round = 0; round < 2; round += 1) {
    await waitMs(700 + random() * 700);
    await replicas[0]!.redis.flushall();
    await untilRecovered(replicas[0]!.redis);
  }
  await eventually(() => (saved >= budget ? true : undefined));
  await waitMs(1_000);
  isDone = true;
  await Promise.all(spending);
  expect(answers).toEqual(new Set(['reserved', 'unknown', 'exhausted']));
  expect(saved).toBeGreaterThanOrEqual(budget);
  expect(saved).toBeLessThanOrEqual(budget + largest);
  await eventually(async () => ((await budgetOf(key)).today === saved ? true : undefined));
});

it('the usage is exact after random data losses, older backups, lost replies and restarted edges', async () => {
  // The simulation itself sets the name of the budget data, so it needs a database that no edge watches.
  const redis = await connectTo(`${stack.dev.redis_url}/1`);
  undo.push(() => redis.disconnect());
  const limits = { dailyTokenBudget: 1e9, weeklyTokenBudget: 1e9 };
  for (let seed = 1; seed <= 100; seed += 1) {
    const edges = new SimulatedEdges(redis, limits, { edges: 3, seed });
    await edges.start();
    for (let step = 0; step < 40; step += 1) await edges.step();
    expect({ seed, today: await edges.syncAll() }).toEqual({ seed, today: edges.saved });
  }
});
