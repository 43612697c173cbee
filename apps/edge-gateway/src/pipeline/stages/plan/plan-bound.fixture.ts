import type { ConversationPlanRecord } from '@gateway/contracts';
import type { ParsedRequest } from '../../../request/request.ts';
import { Conversation } from '../../../request/conversation.ts';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { noContextEdits, type PlannedReply, type ToolPlan } from '../../exchange/tool-plan.ts';
import { Patience, type ContextSubject } from './context/context-subject.ts';
import { BoundPlanMemo, type BoundPlanStore } from './conversation/bound-plans.ts';
import type { ConversationSubject } from './conversation/conversation-planner.ts';
import type { BoundServices } from './bound-turns.ts';
import { planBound } from './plan-bound.ts';

const accountId = '019a9f5e-0000-7000-8000-000000000001';
const log = { debug: () => undefined, warn: () => undefined } as never;
export const tool = (name: string, more: object = {}) => ({ name, input_schema: {}, ...more });
export const tools = ['a', 'b', 'c', 'd'].map((name) => tool(name));
export const deferral = { mode: 'deferred', appliesAt: () => true } as const;
export const user = { role: 'user', content: 'Please do it.' };
export const answered = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };

export function subjectOf(
  messages: readonly object[],
  given: { tools?: readonly object[]; mode?: string; compression?: string; loads?: boolean } = {},
) {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', messages, tools: given.tools ?? tools }));
  const tape = scanJson(bytes, { depthMax: 128 });
  const outline = formatNamed('messages').client.outlineRequest(tape);
  const conversation = new Conversation(outline, bytes, null);
  const request = { bytes, tape, outline, conversation } as unknown as ParsedRequest;
  return {
    ...{
      request,
      tools: outline.tools,
      deferral,
      isBound: true,
      loadsTools: given.loads === true,
      list: { listHash: 'l', toolHashes: [] },
    },
    exchange: {
      ...{ requestId: 'r', headers: {}, abort: new AbortController() },
      ...{ format: 'messages', acceptedAt: new Date() },
    },
    target: { provider: { name: 'anthropic' }, model: 'm' },
    caller: {
      ...{ accountId, pruning: { mode: given.mode ?? 'on' }, onBudgetExhausted: 'pass' },
      compression: { mode: given.compression ?? 'lossless' },
    },
  } as unknown as ConversationSubject;
}

/** A Redis server that answers only after the gateway has stopped to wait for the first answer. */
export function openSlowRedis() {
  const values = new Map<string, string>();
  return {
    get: async (key: string) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return values.get(key) ?? null;
    },
    set: (_: string, key: string, value: string) => Promise.resolve(values.set(key, value)),
  };
}

const noRedis = { get: () => Promise.resolve(null), set: () => Promise.resolve() };

/**
 * Opens a gateway replica with its own caches. All replicas use the same store. The parameter `forwarded` is
 * the tool set that the current policy would choose.
 */
export function openReplica(
  stored = new Map<string, ConversationPlanRecord>(),
  redis: ConstructorParameters<typeof BoundPlanMemo>[0] = noRedis,
) {
  const state = {
    forwarded: [1],
    budget: 'open' as 'open' | 'used',
    isStoreDown: false,
    isLate: false,
    isShadow: false,
    policy: 'v1',
    /** The compression settings that the gateway used for each request. */
    compressed: [] as ContextSubject['settings'][],
    /** Whether the compressor fails to compress the earlier messages again. */
    hasLost: false,
    /** Whether the store saves plans, but its replies are lost. */
    losesReplies: false,
    /** The store saves a plan only after this promise has resolved. */
    storing: Promise.resolve(),
  };
  const check = (): void => {
    if (state.isStoreDown) throw new Error('down');
  };
  const store: BoundPlanStore = {
    keep: async (_, name, plan) => {
      await state.storing;
      check();
      if (!stored.has(name)) stored.set(name, plan);
      if (state.losesReplies) throw new Error('late');
      return stored.get(name) ?? plan;
    },
    replace: async (_, name, plan) => {
      await Promise.resolve();
      check();
      stored.set(name, plan);
    },
    correct: (_, name, plan) => {
      if (!state.isStoreDown) stored.set(name, plan);
    },
    find: async (_, names) => {
      await Promise.resolve();
      check();
      return names.flatMap((name) => stored.get(name) ?? [])[0] ?? null;
    },
    keepUnchangedTurn: () => Promise.resolve(),
    findUnchangedTurns: () => Promise.resolve([]),
  };
  const services = {
    budgets: {
      isExhausted: () => state.budget === 'used',
      reserve: () => (state.budget === 'used' ? 'exhausted' : { settle: () => undefined }),
    },
    conversations: {
      plan: () =>
        state.isLate
          ? Promise.reject(new Error('late'))
          : Promise.resolve({
              reply: {
                ...{
                  forwarded: state.forwarded,
                  isShadow: state.isShadow,
                  policyVersion: state.policy,
                  kReason: 'prior',
                },
                ...{ candidates: [{ position: 1, score: 1 }], k: state.forwarded.length },
              } as PlannedReply,
            }),
    },
    boundPlans: {
      store,
      patience: new Patience(),
      memo: new BoundPlanMemo(redis, log),
    },
    settings: { planDeadlineMs: 1_000 },
    catalog: { find: () => undefined },
    context: {
      planPinned: ({ settings }: ContextSubject) => {
        state.compressed.push(settings);
        const edits = [{ start: 0, end: 0, replacement: '' }];
        return Promise.resolve({ context: { ...noContextEdits, edits }, isSure: !state.hasLost });
      },
    },
    log,
  } as unknown as BoundServices;
  const plan = (subject: ConversationSubject): Promise<ToolPlan> => planBound(subject, 'deferred', services);
  return { state, stored, plan };
}

export const second = [user, answered, { role: 'user', content: 'And now?' }];
