import {
  conversationPlan,
  conversationPlanBytesMax,
  findConversationPlan,
  findUnchangedTurns,
  keepConversationPlan,
  keepUnchangedTurn,
  type ConversationPlanRecord,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import { z } from 'zod';
import { retryWhileUnreached } from '../../../../cache/remote-cache.ts';
import { Patience } from '../context/context-subject.ts';
import { SharedMemo, type ConversationRedis } from './shared-memo.ts';

/**
 * Stores the plans of conversations with bound reasoning durably. Every function of the store rejects if the
 * account service is unavailable.
 */
export interface BoundPlanStore {
  /**
   * Stores a plan unless the store already has a plan with the same name. Resolves with the plan that is
   * stored after the call. Another conversation with the same first messages may already have stored a plan.
   */
  keep(accountId: string, name: string, plan: ConversationPlanRecord): Promise<ConversationPlanRecord>;
  replace(accountId: string, name: string, plan: ConversationPlanRecord): Promise<void>;
  /**
   * Replaces a plan after `keep` failed, because the account service may store the plan of the failed call later.
   * Repeats the call for up to a minute. Returns immediately, and never rejects.
   */
  correct(accountId: string, name: string, plan: ConversationPlanRecord): void;
  /**
   * Tries the given names in order, and returns the first stored plan. Rejects if the store is unavailable or `signal`
   * aborts.
   */
  find(
    accountId: string,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<ConversationPlanRecord | null>;
  /** Records that the messages that followed a turn of the model were sent unchanged. */
  keepUnchangedTurn(accountId: string, name: string): Promise<void>;
  /** Returns the given names that `keepUnchangedTurn` has stored. */
  findUnchangedTurns(
    accountId: string,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

/**
 * Maximum time in milliseconds that a first request waits until its plan is stored. If the plan cannot be
 * stored in time, the request is sent unchanged.
 */
const keepDeadlineMs = 500;
/** Maximum time in milliseconds for which the store repeats the correction of a plan. */
const correctMsMax = 60_000;
/**
 * Time limit in milliseconds for recording that messages are sent unchanged. The limit gives the account service
 * time to reconnect to the message bus. If the store fails, the decision is kept only in the caches.
 */
const keepTurnMsMax = 1_000;

/** The corrections of stored plans that are in progress, by plan name. */
class Corrections {
  readonly #running = new Map<string, AbortController>();
  readonly #patience = new Patience(correctMsMax);
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Repeats a call in the background until it succeeds, or until another correction of the plan starts. */
  start(name: string, call: (signal: AbortSignal) => Promise<unknown>): void {
    this.stop(name);
    const correction = new AbortController();
    this.#running.set(name, correction);
    this.#patience
      .start(correction.signal)
      .insist(call)
      .catch((error: unknown) => {
        if (!correction.signal.aborted)
          this.#log.warn({ err: error }, 'failed to correct the conversation plan');
      })
      .finally(() => {
        if (this.#running.get(name) === correction) this.#running.delete(name);
      });
  }

  stop(name: string): void {
    this.#running.get(name)?.abort();
  }
}

function createBoundPlanStore(messaging: Pick<Messaging, 'call'>, log: Logger): BoundPlanStore {
  const corrections = new Corrections(log);
  return {
    keep: async (accountId, name, plan) => {
      // A repeated request makes its own decision, which an earlier correction must not replace.
      corrections.stop(name);
      const request = { accountId, name, plan, replaces: false };
      return (await messaging.call(keepConversationPlan, request, { deadlineMs: keepDeadlineMs })).plan;
    },
    replace: async (accountId, name, plan) => {
      await messaging.call(keepConversationPlan, { accountId, name, plan, replaces: true });
    },
    correct: (accountId, name, plan) => {
      const request = { accountId, name, plan, replaces: true };
      corrections.start(name, (signal) => messaging.call(keepConversationPlan, request, { signal }));
    },
    find: async (accountId, names, signal) =>
      (await messaging.call(findConversationPlan, { accountId, names: [...names] }, { signal })).plan,
    keepUnchangedTurn: async (accountId, name) => {
      const signal = AbortSignal.timeout(keepTurnMsMax);
      const ask = () => messaging.call(keepUnchangedTurn, { accountId, name }, { signal });
      await ask().catch((error: unknown) => retryWhileUnreached(error, ask, signal));
    },
    findUnchangedTurns: async (accountId, names, signal) =>
      (await messaging.call(findUnchangedTurns, { accountId, names: [...names] }, { signal })).names,
  };
}

/**
 * The stores for plans of conversations with bound reasoning, and the limit on how long requests wait for the
 * stores.
 */
export interface BoundPlans {
  readonly store: BoundPlanStore;
  readonly memo: BoundPlanMemo;
  readonly patience: Patience;
}

/** The state of a conversation with bound reasoning after one of its requests. */
export interface BoundConversation {
  /** The plan of the conversation. If no plan is known, the field is null and every tool is sent unchanged. */
  readonly plan: ConversationPlanRecord | null;
  /**
   * Whether the plan is also stored under the name of the first response. No other conversation shares the
   * name of the first response.
   */
  readonly isAnchored: boolean;
  /** Whether requests instruct the provider to drop reasoning that is bound to a different prefix. */
  readonly dropsBlocks: boolean;
}

const stored = z.strictObject({
  plan: conversationPlan.nullable(),
  isAnchored: z.boolean(),
  dropsBlocks: z.boolean(),
});

/**
 * Caches each `BoundConversation` under a key that covers the transcript up to a request. Missing cache entries are
 * read from the durable store.
 */
export class BoundPlanMemo extends SharedMemo<BoundConversation> {
  constructor(redis: ConversationRedis, log: Logger) {
    super(redis, log, {
      kind: 'bound-plan:v2',
      sizeOf: ({ plan }) => 400 + listNames(plan).reduce((size, name) => size + 50 + 2 * name.length, 0),
      render: renderStored,
      parse: (text) => stored.parse(JSON.parse(text)),
      unavailable: 'memo of bound conversations unavailable, reading the stored plan',
    });
  }
}

const listNames = (plan: ConversationPlanRecord | null): string[] =>
  plan === null ? [] : [...plan.tools, ...plan.additions.flatMap(({ tools }) => tools)];

export function openBoundPlans(
  redis: ConversationRedis,
  messaging: Pick<Messaging, 'call'>,
  log: Logger,
): BoundPlans {
  const memo = new BoundPlanMemo(redis, log);
  return { store: createBoundPlanStore(messaging, log), memo, patience: new Patience() };
}

function renderStored(conversation: BoundConversation): string | null {
  const text = JSON.stringify(conversation);
  return text.length > 2 * conversationPlanBytesMax ? null : text;
}
