import {
  conversationPlan,
  conversationPlanBytesMax,
  findConversationPlan,
  keepConversationPlan,
  type ConversationPlanRecord,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import { z } from 'zod';
import { retryWhileUnavailable } from '../../../../cache/remote-cache.ts';
import { SharedMemo, type ConversationRedis } from './shared-memo.ts';

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

const stored = z.strictObject({
  plan: conversationPlan.nullable(),
  isAnchored: z.boolean(),
  dropsBlocks: z.boolean(),
});

/** A cache of `BoundConversation` by the transcript up to a request. What it lacks is read from the durable store. */
export class BoundPlanMemo extends SharedMemo<BoundConversation> {
  constructor(redis: ConversationRedis, log: Logger) {
    super(redis, log, {
      kind: 'bound-plan:v1',
      sizeOf: ({ plan }) => 400 + (plan?.tools ?? []).reduce((size, name) => size + 50 + 2 * name.length, 0),
      render: renderStored,
      parse: (text) => stored.parse(JSON.parse(text)),
      unavailable: 'memo of bound conversations unavailable, reading the stored plan',
    });
  }
}

function renderStored(conversation: BoundConversation): string | null {
  const text = JSON.stringify(conversation);
  return text.length > 2 * conversationPlanBytesMax ? null : text;
}
