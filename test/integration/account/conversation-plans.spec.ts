import {
  createAccount,
  findConversationPlan,
  findUnchangedTurns,
  keepConversationPlan,
  keepUnchangedTurn,
  type ConversationPlanRecord,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { trimPlans } from '../../../apps/account/src/conversation-plans/conversation-plans.ts';
import type { AccountDatabase } from '../../../apps/account/src/persistence/account-database.ts';
import { undoAll, type Undo } from '../stack.fixture.ts';
import { openAccountService } from './account-service.fixture.ts';

let edge: Messaging;
let operator: Messaging;
let database: AccountDatabase;
let pool: pg.Pool;
let accountId: string;
const undo: Undo[] = [];

beforeAll(async () => {
  ({ edge, operator, database, pool } = await openAccountService(undo));
}, 180_000);
afterAll(() => undoAll(undo), 120_000);
beforeEach(async () => {
  ({ accountId } = await operator.call(createAccount, { name: `plans ${uuidv7()}` }));
});

const newName = (): string => randomBytes(32).toString('hex');
const planOf = (...tools: string[]): ConversationPlanRecord => ({
  ...{ mode: 'deferred', tools, policyVersion: 'semantic.1/p1', isShadow: false },
  compression: { mode: 'lossless', version: 1 },
  additions: [{ after: 2, tools: ['d'] }],
  mayLoad: true,
});
const keep = async (name: string, plan: ConversationPlanRecord, replaces = false) =>
  (await edge.call(keepConversationPlan, { accountId, name, plan, replaces })).plan;
const find = async (...names: string[]) => (await edge.call(findConversationPlan, { accountId, names })).plan;
const age = (hours: number) =>
  pool.query(
    `UPDATE conversation_plans SET created_at = created_at - $1 * interval '1 hour', used_at = used_at - $1 * interval '1 hour' WHERE account_id = $2`,
    [hours, accountId],
  );

it('concurrent callers receive the first stored plan for a name, and another plan may replace the stored plan after an hour', async () => {
  const name = newName();
  const [first, other] = [planOf('a', 'b ü'), planOf('c')];
  const kept = await Promise.all(
    Array.from({ length: 8 }, (_, at) => keep(name, at % 2 === 0 ? first : other)),
  );
  expect(new Set(kept.map((plan) => JSON.stringify(plan))).size).toBe(1);
  const [winner] = kept;
  expect(await find(name)).toEqual(winner);
  await age(2);
  const latest = planOf('later');
  expect(await keep(name, latest)).toEqual(latest);
  expect(await find(name)).toEqual(latest);
  expect(await keep(name, first, true)).toEqual(first);
  expect(await find(name)).toEqual(first);
});

it('a plan is found under the first of several names that has a plan, and only by the plan’s account', async () => {
  const [opening, firstTurn] = [newName(), newName()];
  expect(await find(firstTurn, opening)).toBeNull();
  await keep(opening, planOf('opening'));
  expect(await find(firstTurn, opening)).toEqual(planOf('opening'));
  await keep(firstTurn, planOf('turn'));
  expect(await find(firstTurn, opening)).toEqual(planOf('turn'));
  const { accountId: another } = await operator.call(createAccount, { name: `other ${uuidv7()}` });
  const stolen = await edge.call(findConversationPlan, { accountId: another, names: [opening] });
  expect(stolen.plan).toBeNull();
});

it('turns that were sent unchanged are found by name, and only by the turns’ account', async () => {
  const names = Array.from({ length: 3 }, newName);
  for (const name of names.slice(1)) await edge.call(keepUnchangedTurn, { accountId, name });
  await edge.call(keepUnchangedTurn, { accountId, name: names[1]! });
  const found = await edge.call(findUnchangedTurns, { accountId, names });
  expect(found.names.toSorted()).toEqual(names.slice(1).sort());
  const { accountId: another } = await operator.call(createAccount, { name: `other ${uuidv7()}` });
  expect((await edge.call(findUnchangedTurns, { accountId: another, names })).names).toEqual([]);
});

it('conversation plans for an unknown account are rejected', async () => {
  const turn = { accountId: uuidv7(), name: newName() };
  await expect(edge.call(keepUnchangedTurn, turn)).rejects.toMatchObject({ code: 'not_found' });
  const request = { accountId: uuidv7(), name: newName(), plan: planOf('a'), replaces: false };
  await expect(edge.call(keepConversationPlan, request)).rejects.toMatchObject({ code: 'not_found' });
});

it('plans unused for 90 days are deleted, and also the least recently used plans above the limit', async () => {
  const names = Array.from({ length: 4 }, newName);
  await keep(names[0]!, planOf('old'));
  await age(91 * 24);
  for (const name of names.slice(1)) {
    await keep(name, planOf(name));
    await age(1);
  }
  await trimPlans({ database }, Date.now(), 2);
  const left = await Promise.all(names.map((name) => find(name)));
  expect(left.map((plan) => plan !== null)).toEqual([false, false, true, true]);
});

it('names of unchanged turns displace older names of unchanged turns, but no plans', async () => {
  const plans = Array.from({ length: 2 }, newName);
  for (const name of plans) await keep(name, planOf(name));
  await age(1);
  const turns = Array.from({ length: 3 }, newName);
  for (const name of turns) {
    await edge.call(keepUnchangedTurn, { accountId, name });
    await age(1);
  }
  await trimPlans({ database }, Date.now(), 2);
  expect(await Promise.all(plans.map((name) => find(name)))).toEqual(plans.map((name) => planOf(name)));
  const { names } = await edge.call(findUnchangedTurns, { accountId, names: turns });
  expect(names.toSorted()).toEqual(turns.slice(1).sort());
});

it('reading a plan that is days old restarts the retention period of the plan', async () => {
  const name = newName();
  await keep(name, planOf('a'));
  await age(89 * 24);
  await find(name);
  await trimPlans({ database }, Date.now() + 2 * 86_400_000);
  expect(await find(name)).toEqual(planOf('a'));
});
