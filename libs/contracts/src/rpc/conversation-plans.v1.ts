import { z } from 'zod';
import { id, keepable, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/**
 * The tool set of a conversation with reasoning that is bound to its prefix. It is decided in the conversation's first request
 * and never changes: a provider rejects reasoning behind a changed tool set.
 */
export const conversationPlan = z.object({
  /**
   * `whole`: every tool is sent unchanged. `deferred`: every tool is sent, and those that `tools` does not name are deferred
   * behind the provider's tool search. `pruned`: only the tools in `tools` are sent.
   */
  mode: z.enum(['whole', 'deferred', 'pruned']),
  /** Names of the tools that the model sees from the first request on. Empty for `whole`. */
  tools: z.array(keepable(z.string().max(256))).max(4096),
  /** The policy version that chose the tools. */
  policyVersion: z.string().max(200),
  /** Whether the conversation was drawn for shadow routing: every tool is sent, and later requests are planned for the log. */
  isShadow: z.boolean(),
});
export type ConversationPlanRecord = z.infer<typeof conversationPlan>;

/** Maximum size of a stored plan as JSON, in bytes. The tools of a conversation with a longer plan are sent unchanged. */
export const conversationPlanBytesMax = 64 * 1024;

/** How long a plan is kept after it was last written or read without a cache. */
export const conversationPlanKeptDays = 90;

/**
 * Stores the plan of a conversation, durably, before its first byte goes to a provider. The name is SHA-256 (hex) over the
 * tools and the first messages. Conversations that begin alike within an hour share the plan that was stored first. The reply
 * contains the stored plan. Throws `not_found` for an unknown account.
 */
export const keepConversationPlan = defineRpc({
  subject: 'account.keep-conversation-plan.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({
    accountId: id,
    name: sha256Hex,
    plan: conversationPlan,
    /** Whether the plan replaces any stored one. The provider rejected that one in the first request. */
    replaces: z.boolean(),
  }),
  reply: z.object({ plan: conversationPlan }),
});

/** Finds a plan by the first of these names that has one. Null if none has. */
export const findConversationPlan = defineRpc({
  subject: 'account.find-conversation-plan.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({ accountId: id, names: z.array(sha256Hex).min(1).max(2) }),
  reply: z.object({ plan: conversationPlan.nullable() }),
});
