import { startStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';
import { createKey, isReserved, readBudget, startReplica } from './replicas.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

it('a request that outlasts its lease keeps its reservation and is settled normally', async () => {
  const [long, other] = await Promise.all([1, 2].map(() => startReplica(stack.dev.redis_url)));
  undo.push(
    () => long!.close(),
    () => other!.close(),
  );
  const key = createKey(1_000);
  const held = await long!.budgets.reserve(key, 1_000);
  if (!isReserved(held)) throw new Error('the budget rejected the first request');
  for (let second = 0; second < 70; second += 2) {
    await waitMs(2_000);
    expect(await other!.budgets.reserve(key, 1_000)).toBe('exhausted');
  }
  held.settle(600);
  await waitMs(1_000);
  expect(await readBudget(other!.redis, key)).toMatchObject({ today: 600 });
  expect(isReserved(await other!.budgets.reserve(key, 400))).toBe(true);
}, 120_000);
