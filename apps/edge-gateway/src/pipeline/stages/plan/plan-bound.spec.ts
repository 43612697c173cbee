import type { ToolPlan } from '../../exchange/tool-plan.ts';
import {
  answered,
  deferral,
  openReplica,
  openSlowRedis,
  second,
  subjectOf,
  tool,
  tools,
  user,
} from './plan-bound.fixture.ts';

const namesOf = (planned: ToolPlan, list: readonly { name: string }[] = tools): string[] =>
  planned.forwarded.map((index) => list[index]?.name ?? '');

describe('the tool set of a conversation with bound reasoning', () => {
  it('is decided in the first request, stored, and kept when the policy changes later', async () => {
    const replica = openReplica();
    const first = await replica.plan(subjectOf([user]));
    expect(first).toMatchObject({ forwarded: [1], deferral, reason: 'prior' });
    Object.assign(replica.state, { forwarded: [0, 2], policy: 'v2' });
    expect(await replica.plan(subjectOf(second))).toMatchObject({
      ...{ forwarded: [1], reason: 'frozen' },
      // The request log shows the stored decision.
      reply: { k: 1, policyVersion: 'v1' },
    });
    expect(await replica.plan(subjectOf(second, { mode: 'off' }))).toMatchObject({ forwarded: [1] });
    replica.state.budget = 'used';
    expect(await replica.plan(subjectOf(second))).toMatchObject({ forwarded: [1] });
  });

  it('is the same on a replica without stored state, and for a repeated first request', async () => {
    const { stored, plan } = openReplica();
    await plan(subjectOf([user]));
    const other = openReplica(stored);
    other.state.forwarded = [0, 2];
    expect(await other.plan(subjectOf(second))).toMatchObject({ forwarded: [1] });
    expect(await other.plan(subjectOf([user]))).toMatchObject({ forwarded: [1] });
  });

  it('is found by tool names, regardless of the order of the tools and without tools that the client defers', async () => {
    const { plan } = openReplica();
    await plan(subjectOf([user]));
    const changed = [tool('late', { defer_loading: true }), ...[...tools].reverse()];
    const planned = await plan(subjectOf(second, { tools: changed }));
    expect(namesOf(planned, changed)).toEqual(['late', 'b']);
  });

  it('is stored under the first response, so that a later conversation with the same beginning cannot change it', async () => {
    const replica = openReplica();
    await replica.plan(subjectOf([user]));
    const [opening = ''] = replica.stored.keys();
    await replica.plan(subjectOf(second));
    expect(replica.stored.size).toBe(2);
    const other = { mode: 'deferred' as const, tools: ['d'], policyVersion: 'v2', isShadow: false };
    replica.stored.set(opening, { ...other, compression: null, additions: [], mayLoad: true });
    for (const messages of [second, [...second, answered, user]])
      expect(await openReplica(replica.stored).plan(subjectOf(messages))).toMatchObject({ forwarded: [1] });
  });
});

it('a conversation keeps all its tools on every replica if the store saved its plan but the reply was lost', async () => {
  const { state, stored, plan } = openReplica();
  state.losesReplies = true;
  expect(await plan(subjectOf([user]))).toMatchObject({ forwarded: [0, 1, 2, 3] });
  expect(await openReplica(stored).plan(subjectOf(second))).toMatchObject({ forwarded: [0, 1, 2, 3] });
});

it('a replica finds the tool set in a slow Redis if the store is unavailable', async () => {
  const [stored, redis] = [new Map(), openSlowRedis()];
  await openReplica(stored, redis).plan(subjectOf([user]));
  const other = openReplica(stored, redis);
  Object.assign(other.state, { isStoreDown: true, forwarded: [0, 2] });
  expect(await other.plan(subjectOf(second))).toMatchObject({ forwarded: [1] });
});

it('requests with the same beginning are sent in the same form, even if one of them could not be planned', async () => {
  const replica = openReplica();
  replica.state.isLate = true;
  expect(await replica.plan(subjectOf([user]))).toMatchObject({ forwarded: [0, 1, 2, 3] });
  replica.state.isLate = false;
  expect(await replica.plan(subjectOf([user]))).toMatchObject({ forwarded: [0, 1, 2, 3] });
  const other = { role: 'user', content: 'Please do something else.' };
  expect(await replica.plan(subjectOf([other]))).toMatchObject({ forwarded: [1] });
  replica.state.isLate = true;
  expect(await replica.plan(subjectOf([other]))).toMatchObject({ forwarded: [1] });
  replica.state.budget = 'used';
  expect(await replica.plan(subjectOf([other], { mode: 'off' }))).toMatchObject({ forwarded: [1] });
});

describe('every tool is sent unchanged', () => {
  const whole = [0, 1, 2, 3];

  it.each<[string, (state: ReturnType<typeof openReplica>['state']) => void, string]>([
    ['if the plan cannot be stored', (state) => (state.isStoreDown = true), 'unavailable'],
    ['if the plan is late', (state) => (state.isLate = true), 'unavailable'],
    ['if the budget is used up', (state) => (state.budget = 'used'), 'budget_exhausted'],
  ])('%s, in the first and in later requests', async (_, change, reason) => {
    const replica = openReplica();
    change(replica.state);
    expect(await replica.plan(subjectOf([user]))).toMatchObject({ forwarded: whole, reason });
    Object.assign(replica.state, { isStoreDown: false, isLate: false, budget: 'open' });
    expect(await replica.plan(subjectOf(second))).toMatchObject({ forwarded: whole });
  });

  it('without a stored plan. The gateway can be the cause of a rejection only if the store could not be read', async () => {
    const planned = await openReplica().plan(subjectOf(second));
    expect(planned).toMatchObject({
      forwarded: whole,
      reason: 'bound_thinking',
      bound: { mayBeOurs: false },
    });
    const down = openReplica();
    down.state.isStoreDown = true;
    expect(await down.plan(subjectOf(second))).toMatchObject({
      forwarded: whole,
      bound: { mayBeOurs: true },
    });
    down.state.isStoreDown = false;
    expect(await down.plan(subjectOf(second))).toMatchObject({ bound: { mayBeOurs: false } });
  });

  it('after the provider rejected deferral in the first request', async () => {
    const replica = openReplica();
    await (await replica.plan(subjectOf([user]))).bound?.abandon?.();
    expect(await replica.plan(subjectOf(second))).toMatchObject({ forwarded: whole });
    expect(await openReplica(replica.stored).plan(subjectOf(second))).toMatchObject({ forwarded: whole });
  });
});

it('a shadow conversation gets every tool, and each of its requests is ranked for the log', async () => {
  const replica = openReplica();
  replica.state.isShadow = true;
  const shadow = { forwarded: [0, 1, 2, 3], reason: 'shadow', reply: { forwarded: [1] } };
  expect(await replica.plan(subjectOf([user]))).toMatchObject(shadow);
  expect(await replica.plan(subjectOf(second))).toMatchObject(shadow);
});

it('dropped reasoning is remembered for the rest of the conversation, even if the plan is stored under the first response later', async () => {
  const { state, stored, plan } = openReplica();
  await plan(subjectOf([user]));
  const { promise, resolve } = Promise.withResolvers<undefined>();
  Object.assign(state, { storing: promise });
  const planned = await plan(subjectOf(second));
  expect(planned.bound?.dropsBlocks).toBe(false);
  planned.bound?.remember();
  resolve(undefined);
  await new Promise(setImmediate);
  expect(stored.size).toBe(2);
  const third = [...second, answered, user];
  expect((await plan(subjectOf(third))).bound?.dropsBlocks).toBe(true);
});

describe('compression', () => {
  const long = { role: 'user', content: 'the same words again and again '.repeat(40) };
  const later = [user, answered, long];

  it.each(['on', 'off'])('is decided in the first request, with pruning %s, and kept', async (mode) => {
    const replica = openReplica();
    await replica.plan(subjectOf([user], { mode }));
    expect(replica.state.compressed).toEqual([]);
    const planned = await openReplica(replica.stored).plan(subjectOf(later, { compression: 'off' }));
    expect(planned.context.edits).toHaveLength(1);
    expect(planned.bound).toMatchObject({ mayBeOurs: true });
  });

  it('stays off in a conversation that began without compression, and in a conversation without a stored plan', async () => {
    const replica = openReplica();
    await replica.plan(subjectOf([user], { compression: 'off' }));
    expect((await replica.plan(subjectOf(later))).context.edits).toEqual([]);
    expect((await openReplica().plan(subjectOf(later))).context.edits).toEqual([]);
  });

  it('may be the cause of a rejection if earlier messages cannot be compressed again', async () => {
    const replica = openReplica();
    replica.state.forwarded = [0, 1, 2, 3];
    await replica.plan(subjectOf([user]));
    expect((await replica.plan(subjectOf(second))).bound).toMatchObject({ mayBeOurs: false });
    replica.state.hasLost = true;
    expect((await replica.plan(subjectOf(later))).bound).toMatchObject({ mayBeOurs: true });
  });
});

it('with pruning turned off, the decision to send every tool is stored, so a later change of the setting has no effect', async () => {
  const replica = openReplica();
  expect(await replica.plan(subjectOf([user], { mode: 'off' }))).toMatchObject({
    ...{ forwarded: [0, 1, 2, 3], reason: 'off' },
  });
  expect(replica.stored.size).toBe(1);
  expect(await openReplica(replica.stored).plan(subjectOf([user]))).toMatchObject({
    forwarded: [0, 1, 2, 3],
  });
});
