import { randomFrom, startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';
import { SimulatedReplicas } from './rate-leases.fixture.ts';

/** The number of simulated runs. `RATE_LEASE_RUNS=10000` runs a long search that takes about ten minutes. */
const runs = Number(process.env['RATE_LEASE_RUNS'] ?? 150);
const atOnce = 25;
const minuteMs = 60_000;

const undo: Undo[] = [];
let stack: Stack;
let redis: Redis;
beforeAll(async () => {
  stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
  redis = new Redis(stack.dev.redis_cache_url, { enableAutoPipelining: true });
  undo.push(() => redis.disconnect());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

interface Outcome {
  readonly limit: number;
  readonly admitted: number;
  readonly leased: number;
  /** The largest number of requests admitted within any 60 seconds. */
  readonly most: number;
}

async function simulate(seed: number): Promise<Outcome> {
  const draw = randomFrom(seed);
  const limit = 1_050 + Math.floor(draw() * 1_500);
  const simulated = new SimulatedReplicas(redis, limit, 1 + Math.floor(draw() * 8), draw);
  const startMs = 1_000_000_000_000 + Math.floor(draw() * minuteMs);
  const spanMs = minuteMs + draw() * minuteMs;
  for (let burst = 0; burst < 150; burst += 1) {
    // Half of the runs start with 60 bursts of requests in the first two seconds.
    // The remaining bursts start at random times during the whole run.
    const at = seed % 2 === 0 && burst < 60 ? draw() * 2_000 : draw() * spanMs;
    simulated.burst(startMs + at, 1 + Math.floor(draw() * 60));
  }
  for (let restart = 0; restart < 3; restart += 1) simulated.restart(startMs + draw() * spanMs);
  await simulated.run();
  const times = simulated.admittedAt.toSorted((a, b) => a - b);
  let [first, most] = [0, 0];
  for (const [at, time] of times.entries()) {
    while (time - (times[first] ?? time) >= minuteMs) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return { limit, admitted: times.length, leased: simulated.leasedCount, most };
}

it(`replicas with leases admit at most the limit in any 60 seconds: ${runs} runs with 1 to 8 replicas and restarts`, async () => {
  const outcomes: Outcome[] = [];
  for (let seed = 1; seed <= runs; seed += atOnce) {
    outcomes.push(...(await Promise.all(Array.from({ length: atOnce }, (_, at) => simulate(seed + at)))));
  }
  expect(outcomes.filter(({ most, limit }) => most > limit)).toEqual([]);
  // Many runs reach the rate limit, and more than a tenth of all requests are admitted under leases.
  const full = outcomes.filter(({ most, limit }) => most > 0.97 * limit);
  expect(full.length).toBeGreaterThan(outcomes.length / 4);
  const sum = (read: (outcome: Outcome) => number) => outcomes.reduce((total, next) => total + read(next), 0);
  expect(sum(({ leased }) => leased) / sum(({ admitted }) => admitted)).toBeGreaterThan(0.1);
}, 240_000);
