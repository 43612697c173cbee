import type { RequestOutline } from '@gateway/interchange';
import { loadCatalog } from '@gateway/model-catalog';
import type { PlannedReply } from '../../../exchange/tool-plan.ts';
import { Conversation } from '../../../../request/conversation.ts';
import type { PlanQuestion, Planner } from '../router/planner.port.ts';
import { ConversationMemo } from './conversation-memo.ts';
import { ConversationPlanner, type ConversationSubject } from './conversation-planner.ts';

const silent = { debug: () => undefined } as never;
const tools = [0, 1, 2].map((index) => ({ index, name: `tool_${index}`, range: { start: 0, end: 40_000 } }));
const signal = new AbortController().signal;
const accountId = '019a9f5e-0000-7000-8000-000000000001';

/** Replicas that share this map also share their stored conversations. */
function openPlanner(answer: (question: PlanQuestion) => PlannedReply, stored = new Map<string, string>()) {
  const asked: PlanQuestion[] = [];
  const redis = {
    get: (key: string) => Promise.resolve(stored.get(key) ?? null),
    set: (_: string, key: string, value: string) => Promise.resolve(stored.set(key, value)),
  };
  const planner: Pick<Planner, 'selectTools'> = {
    selectTools: (_, question) => {
      asked.push(question);
      return Promise.resolve(question).then(answer);
    },
  };
  const conversations = new ConversationPlanner({
    planner: planner as Planner,
    memo: new ConversationMemo(redis, silent),
    catalog: loadCatalog(),
    firstRequests: { hasPassed: () => false } as never,
    hasRecovery: true,
  });
  return { conversations, asked };
}

/** Returns a conversation with messages of 400 bytes (100 tokens) each. */
function subjectOf(roles: readonly string[], model = 'claude-sonnet-4-5'): ConversationSubject {
  const messages = roles.map((role, index) => ({
    ...{ index, role, range: { start: 0, end: 400 }, cacheControl: true, toolCalls: [], toolResultIds: [] },
    textRanges: () => [{ start: index, end: index + 1 }],
    text: () => `text ${index}`,
  }));
  const outline = { tools, messages, toolChoice: { mode: 'unset' } } as unknown as RequestOutline;
  const conversation = new Conversation(outline, Buffer.from('abcdefghijkl'), null);
  return {
    request: { outline, conversation },
    target: { provider: { name: 'anthropic' }, model, lane: { kind: 'same-format' } },
    ...{ tools, list: { listHash: 'list', toolHashes: [] }, exchange: { requestId: 'request' } },
    caller: { accountId, shadowShare: 0, pruning: { mode: 'on', recovery: true, recallTarget: 0.95 } },
  } as unknown as ConversationSubject;
}

const reply = (fields: Partial<PlannedReply>): PlannedReply => ({
  ...{ status: 'planned', forwarded: [0], chosen: [0], candidates: [], intent: 'act', method: 'semantic' },
  ...{ k: 1, kReason: 'prior', policyVersion: 'v1', bucket: 'act:1-25', isShadow: false, worth: null },
  ...{ recovery: { armed: true, way: 'in_place' }, way: 'in_place', isUndecided: false },
  ...fields,
});
const late = (): PlannedReply => {
  throw new Error('late');
};
const turns = ['user', 'assistant', 'user', 'assistant', 'user'];

describe('ConversationPlanner', () => {
  it('reports the number of tokens in earlier requests for each of the first turns, and 0 before the first response', async () => {
    const { conversations, asked } = openPlanner(() => reply({}));
    await conversations.plan(subjectOf(['user', 'user', ...turns.slice(1)]), signal);
    expect(asked[0]?.price?.sentTokens).toEqual([0, 0, 200, 400]);
  });

  it('tells the router that the tool set is final if bound reasoning forbids changes and the provider cannot defer tools', async () => {
    const { conversations, asked } = openPlanner(() => reply({}));
    const deferral = { mode: 'deferred', appliesAt: () => true } as const;
    const subject = subjectOf(['user']);
    for (const given of [{ isBound: true }, { isBound: true, deferral }, {}])
      await conversations.plan({ ...subject, ...given }, signal);
    expect(asked.map(({ isFinal, mayRecover }) => [isFinal, mayRecover])).toEqual([
      [true, false],
      [undefined, true],
      [undefined, true],
    ]);
  });

  it('leaves the decision to the next plan after a late plan, and reports the number of tokens that the next plan would rewrite', async () => {
    const stored = new Map<string, string>();
    let answer = late;
    const { conversations, asked } = openPlanner(() => answer(), stored);
    await expect(conversations.plan(subjectOf(turns.slice(0, 1)), signal)).rejects.toThrow('late');
    await expect(conversations.plan(subjectOf(turns.slice(0, 3)), signal)).rejects.toThrow('late');
    answer = () => reply({ kReason: 'decided' });
    await conversations.plan(subjectOf(turns), signal);
    expect(asked[1]?.session).toMatchObject({ isUndecided: true, lateTokens: 100 });
    expect(asked[2]?.session).toMatchObject({ isUndecided: true, lateTokens: 300, forwarded: [0, 1, 2] });
    // Another replica reads the decision from Redis. After the decision, the number of tokens in earlier requests stays constant.
    const other = openPlanner(() => reply({}), stored);
    await other.conversations.plan(subjectOf([...turns, 'assistant', 'tool']), signal);
    expect(other.asked[0]?.session).toEqual({
      ...{ forwarded: [0], turns: 3, policyVersion: 'v1', lane: 'semantic', way: 'in_place' },
      ...{ isShadow: false, isUndecided: false, lateTokens: 300 },
    });
  });

  it('plans the next request after a late plan like a new conversation if the model has no prompt cache', async () => {
    let answer = late;
    const { conversations, asked } = openPlanner(() => answer());
    const subject = (count: number) => subjectOf(turns.slice(0, count), 'unknown-model');
    await expect(conversations.plan(subject(1), signal)).rejects.toThrow('late');
    answer = () => reply({});
    await conversations.plan(subject(3), signal);
    expect(asked[1]?.session).toBeUndefined();
  });

  it('keeps a conversation undecided while its turns mention no tools, and fixes only whether it is a shadow conversation', async () => {
    const answers = [
      reply({ forwarded: [0, 1, 2], chosen: [0, 1, 2], isUndecided: true, isShadow: true, way: null }),
      reply({ policyVersion: 'v2', kReason: 'decided', isShadow: true }),
      reply({}),
    ];
    const { conversations, asked } = openPlanner(() => answers.shift()!);
    for (const count of [1, 3, 5]) await conversations.plan(subjectOf(turns.slice(0, count)), signal);
    expect(asked[1]?.session).toMatchObject({ isUndecided: true, isShadow: true, policyVersion: 'v1' });
    expect(asked[1]?.session?.lateTokens).toBeUndefined();
    expect(asked[2]?.session).toMatchObject({ isUndecided: false, policyVersion: 'v2', forwarded: [0] });
  });

  it('reads stored conversations of the previous release, in which the tool set is always decided', async () => {
    const stored = new Map<string, string>();
    await openPlanner(() => reply({}), stored).conversations.plan(subjectOf(turns.slice(0, 1)), signal);
    for (const [name, value] of stored)
      stored.set(name, JSON.stringify((JSON.parse(value) as unknown[]).slice(0, 9)));
    const { conversations, asked } = openPlanner(() => reply({}), stored);
    await conversations.plan(subjectOf(turns.slice(0, 3)), signal);
    expect(asked[0]?.session).toEqual({
      ...{ forwarded: [0], turns: 1, policyVersion: 'v1', lane: 'semantic', way: 'in_place' },
      ...{ isShadow: false, isUndecided: false },
    });
  });

  it('remembers the recovery mode of a conversation even if a request prunes nothing', async () => {
    const whole = { forwarded: [0, 1, 2], recovery: { armed: false, way: 'in_place' as const } };
    const answers = [reply({ ...whole, way: 'in_place' }), reply({})];
    const { conversations, asked } = openPlanner(() => answers.shift()!);
    for (const count of [1, 3]) await conversations.plan(subjectOf(turns.slice(0, count)), signal);
    expect(asked[1]?.session?.way).toBe('in_place');
  });
});
