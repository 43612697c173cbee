import {
  conversationPlan,
  conversationPlanBytesMax,
  findConversationPlan,
  keepConversationPlan,
  type ConversationPlanRecord,
} from '@gateway/contracts';
import { withTimeout, type Logger } from '@gateway/observability';
import type { Messaging } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { accountKey } from '../../../../cache/account-keys.ts';
import { retryWhileUnavailable } from '../../../../cache/remote-cache.ts';
import type { ConversationRedis } from './conversation-memo.ts';

/** The durable store of the plans of bound conversations. Its calls reject if the account service is unavailable. */
export interface BoundPlanStore {
  /** Resolves with the plan that counts: an equal conversation may have stored one first. */
  keep(accountId: string, name: string, plan: ConversationPlanRecord): Promise<ConversationPlanRecord>;
  replace(accountId: string, name: string, plan: ConversationPlanRecord): Promise<void>;
  /** Finds a plan by the first of the names that has one. */
  find(accountId: string, names: readonly string[]): Promise<ConversationPlanRecord | null>;
}

/** A first request waits no longer than this. Without a stored plan it is sent unchanged. */
const keepDeadlineMs = 500;

export function createBoundPlanStore(messaging: Pick<Messaging, 'call'>): BoundPlanStore {
  const find: BoundPlanStore['find'] = async (accountId, names) =>
    (await messaging.call(findConversationPlan, { accountId, names: [...names] })).plan;
  return {
    keep: async (accountId, name, plan) => {
      const request = { accountId, name, plan, replaces: false };
      return (await messaging.call(keepConversationPlan, request, { deadlineMs: keepDeadlineMs })).plan;
    },
    replace: async (accountId, name, plan) => {
      await messaging.call(keepConversationPlan, { accountId, name, plan, replaces: true });
    },
    // Without its plan, a conversation would be sent in a way that its provider rejects. So this call is worth repeating.
    find: (accountId, names) =>
      find(accountId, names).catch((error: unknown) =>
        retryWhileUnavailable(error, () => find(accountId, names)),
      ),
  };
}

/** What is known about a bound conversation after one of its requests. */
export interface BoundConversation {
  /** Null if no plan is known: every tool is sent unchanged. */
  readonly plan: ConversationPlanRecord | null;
  /** Whether the plan is stored under the name of the first response as well, which no other conversation shares. */
  readonly isAnchored: boolean;
  /** Whether requests tell the provider to drop reasoning that is bound to another prefix. */
  readonly dropsBlocks: boolean;
}

const keptSeconds = 24 * 3600;
/** How exact the expiry in memory is. The clock is read at most this often. */
const ttlResolutionMs = 1_000;
const waitMs = 25;
const kind = 'bound-plan:v1';
const stored = z.strictObject({
  plan: conversationPlan.nullable(),
  isAnchored: z.boolean(),
  dropsBlocks: z.boolean(),
});

/**
 * A cache of `BoundConversation` by the transcript up to a request, in this process and in Redis. What it lacks is read from the
 * durable store.
 */
export class BoundPlanMemo {
  readonly #redis: ConversationRedis;
  readonly #log: Logger;
  readonly #kept = new LRUCache<string, BoundConversation>({
    max: 100_000,
    ttl: keptSeconds * 1_000,
    ttlResolution: ttlResolutionMs,
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: ({ plan }) =>
      400 + (plan?.tools ?? []).reduce((size, name) => size + 50 + 2 * name.length, 0),
  });

  constructor(redis: ConversationRedis, log: Logger) {
    this.#redis = redis;
    this.#log = log;
  }

  /** Never fails. Undefined if the cache has no entry, or Redis is unavailable or slow. */
  find(accountId: string, name: string): BoundConversation | Promise<BoundConversation | undefined> {
    return this.#kept.get(name) ?? this.#load(accountId, name);
  }

  keep(accountId: string, name: string, conversation: BoundConversation): void {
    this.#kept.set(name, conversation);
    const value = JSON.stringify(conversation);
    if (value.length > 2 * conversationPlanBytesMax) return;
    this.#redis.set(accountId, accountKey(kind, accountId, name), value, keptSeconds).catch(this.#isAway);
  }

  async #load(accountId: string, name: string): Promise<BoundConversation | undefined> {
    try {
      const value = await withTimeout(this.#redis.get(accountKey(kind, accountId, name)), waitMs, null);
      if (value === null) return undefined;
      const conversation = stored.parse(JSON.parse(value));
      this.#kept.set(name, conversation);
      return conversation;
    } catch (error) {
      this.#isAway(error);
      return undefined;
    }
  }

  readonly #isAway = (error: unknown): void => {
    this.#log.debug({ err: error }, 'memo of bound conversations unavailable, reading the stored plan');
  };
}
