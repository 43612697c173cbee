import type { ToolPlan } from '../../exchange/tool-plan.ts';
import { answered, openReplica, second, subjectOf, user } from './plan-bound.fixture.ts';

describe('a later user turn', () => {
  const loads = { loads: true };
  const asked = (messages: readonly object[]) => subjectOf(messages, loads);
  const third = [...second, answered, { role: 'user', content: 'And then?' }];
  const additionsOf = (planned: ToolPlan) => planned.deferral?.additions ?? [];

  it('loads the tools that the plan adds, and every later request repeats the message', async () => {
    const replica = openReplica();
    await replica.plan(asked([user]));
    replica.state.forwarded = [1, 3];
    const loaded = await replica.plan(asked(second));
    expect(additionsOf(loaded)).toEqual([{ after: 2, tools: [3] }]);
    // The prefix of the prompt still contains only the tools of the first request.
    expect(loaded).toMatchObject({ forwarded: [1] });
    // A repeated request loads the same tools, even if the ranking has changed.
    Object.assign(replica.state, { forwarded: [0, 1], isStoreDown: true, budget: 'used' });
    expect(additionsOf(await replica.plan(asked(second)))).toEqual([{ after: 2, tools: [3] }]);
    Object.assign(replica.state, { isStoreDown: false, budget: 'open' });
    const otherReplica = openReplica(replica.stored);
    otherReplica.state.forwarded = [0, 1];
    expect(additionsOf(await otherReplica.plan(asked(second)))).toEqual([{ after: 2, tools: [3] }]);
    replica.state.forwarded = [0, 1, 3];
    const both = [
      { after: 2, tools: [3] },
      { after: 4, tools: [0] },
    ];
    for (const { plan } of [replica, openReplica(replica.stored)])
      expect(additionsOf(await plan(asked(third)))).toEqual(both);
    const after = [...third, answered, { role: 'user', content: 'Thanks.' }];
    const lost = openReplica(replica.stored);
    lost.state.forwarded = [0, 1, 3];
    expect(additionsOf(await lost.plan(asked(after))).slice(0, 2)).toEqual(both);
  });

  it('loads no tools on any replica if the store saved the tools but the reply was lost', async () => {
    const { state, stored, plan } = openReplica();
    await plan(asked([user]));
    Object.assign(state, { forwarded: [1, 3], losesReplies: true });
    for (const replica of [{ plan }, openReplica(stored)]) {
      const planned = await replica.plan(asked(second));
      expect(additionsOf(planned).flatMap(({ tools }) => tools)).toEqual([]);
    }
    const later = await openReplica(stored).plan(asked([...third.slice(0, -1)]));
    expect(additionsOf(later).flatMap(({ tools }) => tools)).toEqual([]);
  });

  it.each([
    ['the provider accepts no such message', {}, {}],
    ['the policy has changed', loads, { policy: 'v2' }],
    ['the ranking is late', loads, { isLate: true }],
    ['the decision cannot be stored', loads, { isStoreDown: true }],
    ['the token budget is used', loads, { budget: 'used' as const }],
  ])('loads no tools if %s', async (_, given, state) => {
    const replica = openReplica();
    await replica.plan(subjectOf([user], given));
    Object.assign(replica.state, { forwarded: [1, 3], ...state });
    const planned = await replica.plan(subjectOf(second, given));
    expect(planned).toMatchObject({ forwarded: [1], deferral: { mode: 'deferred' } });
    expect(additionsOf(planned).flatMap(({ tools: loaded }) => loaded)).toEqual([]);
  });

  it('loads no tools in the conversation after the provider rejected the first message', async () => {
    const replica = openReplica();
    await replica.plan(asked([user]));
    replica.state.forwarded = [1, 3];
    const first = await replica.plan(asked(second));
    await first.bound?.withdraw?.();
    for (const { plan, state } of [replica, openReplica(replica.stored)]) {
      state.forwarded = [0, 1, 3];
      const planned = await plan(asked(third));
      expect(additionsOf(planned)).toEqual([]);
      expect(planned.bound?.withdraw).toBeUndefined();
    }
  });
});
