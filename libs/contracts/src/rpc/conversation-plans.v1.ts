import { z } from 'zod';
import { count, id, keepable, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** Maximum number of user turns that can load tools in one conversation. */
export const conversationAdditionsMax = 64;

/**
 * A conversation plan is the tool set of a conversation with bound reasoning. The tool set is chosen in the
 * conversation's first request and never changes. If the tool set changed, the provider would reject the
 * reasoning. Later user turns can load deferred tools, but only at the end of the conversation.
 */
export const conversationPlan = z.object({
  /**
   * How the gateway sends the tools to the provider. The method `whole` sends every tool unchanged. The
   * method `deferred` sends every tool, and defers tools that are not in `tools` behind the provider's tool
   * search. The method `pruned` sends only the tools in `tools`.
   */
  mode: z.enum(['whole', 'deferred', 'pruned']),
  /** Names of the tools that the model sees from the first request on. Empty for the method `whole`. */
  tools: z.array(keepable(z.string().max(256))).max(4096),
  /** The version of the routing policy that chose the tools. */
  policyVersion: z.string().max(200),
  /**
   * Whether the conversation is a shadow conversation. In a shadow conversation, every tool is sent, and the
   * plans for later requests are only logged.
   */
  isShadow: z.boolean(),
  /**
   * The compression settings for new messages throughout the conversation. Null if new messages are sent
   * unchanged. Also null for conversation plans from releases without the field `compression`.
   */
  compression: z
    .object({
      mode: z.enum(['lossless', 'balanced']),
      /** The version of the context steps (`contextStepsVersions`). */
      version: z.int().min(1),
    })
    .nullable()
    .default(null),
  /**
   * The deferred tools that were loaded for later user turns, oldest first. After the message at index
   * `after`, the gateway inserts a message that loads `tools` into every later request. If `tools` is empty,
   * the turn loads no tools.
   */
  additions: z
    .array(z.object({ after: count, tools: z.array(keepable(z.string().max(256))).max(4096) }))
    .max(conversationAdditionsMax)
    .default([]),
  /** Whether later user turns may load deferred tools. False if the provider has rejected loaded tools. */
  mayLoad: z.boolean().default(true),
});
export type ConversationPlanRecord = z.infer<typeof conversationPlan>;

/**
 * Maximum size of a stored conversation plan as JSON, in bytes. If a plan is larger, the tools of its
 * conversation are sent unchanged.
 */
export const conversationPlanBytesMax = 64 * 1024;

/**
 * Retention period of a conversation plan, in days. The retention period starts again whenever the plan is
 * written to the database or read from the database.
 */
export const conversationPlanKeptDays = 90;

/**
 * Stores a conversation's plan durably before the gateway sends the first byte of the conversation to a
 * provider. The name of the plan is the SHA-256 hash (hex) of the conversation's tools and first messages.
 * Conversations that begin with the same tools and messages within an hour share the plan that was stored
 * first. The reply contains the plan that is now stored. Throws `not_found` for an unknown account.
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
    /**
     * Whether the new plan replaces the stored plan. The gateway replaces a plan if the provider rejected the
     * first request with this plan.
     */
    replaces: z.boolean(),
  }),
  reply: z.object({ plan: conversationPlan }),
});

/**
 * Maximum number of plan names in one `find-conversation-plan` call. Each turn that can load tools has one
 * plan name. The start of the conversation has two plan names.
 */
export const conversationNamesMax = conversationAdditionsMax + 2;

/**
 * Looks up the plan names in the given order, and returns the first stored conversation plan. The reply is
 * null if none of the plan names has a stored plan.
 */
export const findConversationPlan = defineRpc({
  subject: 'account.find-conversation-plan.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({ accountId: id, names: z.array(sha256Hex).min(1).max(conversationNamesMax) }),
  reply: z.object({ plan: conversationPlan.nullable() }),
});

/** Maximum number of plan names in one `find-unchanged-turns` call. */
export const unchangedTurnsMax = 4_096;

/**
 * Records that the messages after a turn of the model were not compressed in time and are sent unchanged.
 * Call this contract before sending the messages. If a gateway compressed the messages in a later request,
 * the prefix of bound reasoning would change. The name of the record is the SHA-256 hash (hex) of the
 * conversation up to the turn. Throws `not_found` for an unknown account.
 */
export const keepUnchangedTurn = defineRpc({
  subject: 'account.keep-unchanged-turn.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({ accountId: id, name: sha256Hex }),
  reply: z.object({}),
});

/** Returns the given names that `keep-unchanged-turn` has stored. */
export const findUnchangedTurns = defineRpc({
  subject: 'account.find-unchanged-turns.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({ accountId: id, names: z.array(sha256Hex).min(1).max(unchangedTurnsMax) }),
  reply: z.object({ names: z.array(sha256Hex) }),
});
