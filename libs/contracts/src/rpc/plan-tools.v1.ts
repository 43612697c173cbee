import { hash } from 'node:crypto';
import { z } from 'zod';
import { count, id, sha256Hex } from '../base/common.ts';
import { unlearnedCandidates } from './account-head.v1.ts';
import { defineRpc } from '../base/define.ts';

/** How the model can reach pruned tools. See “recovery mode” in the glossary. */
const recoveryMode = z.enum(['in_place', 'regrown']);

/**
 * The planning decisions from a conversation's earlier requests. A transcript does not contain planning
 * decisions. The router can derive earlier planning decisions from the transcript only while the routing
 * policy is unchanged.
 */
const plannedConversation = z.object({
  /**
   * Indexes of the tools that the router selected by rank for a user turn (`chosen`). Each index is a
   * position in the request's tool list. The list omits the indexes of tools that are always included.
   */
  forwarded: z.array(count).max(4096),
  /** Number of user turns for which tools were selected. */
  turns: count,
  /** The version of the routing policy that first selected the tools. */
  policyVersion: z.string().max(200),
  /** The ranking method used at the start of the conversation. See “ranking method” in the glossary. */
  lane: z.enum(['semantic', 'keyword']),
  /**
   * The recovery mode of the conversation before this request. Null means that pruned tools could not be
   * recovered.
   */
  way: recoveryMode.nullable(),
  /** Whether the full tool list was forwarded even though the router made a plan. */
  isShadow: z.boolean(),
  // Gateways from the previous release do not send the fields below.
  /**
   * Whether the tool set is still undecided. The tool set is undecided if no turn relates to a tool, or if
   * the plan missed its deadline. While the tool set is undecided, `forwarded` contains the whole tool list.
   * Among the other fields, only `isShadow` applies.
   */
  isUndecided: z.boolean().optional(),
  /**
   * Estimated tokens in the instructions and messages of earlier requests, which contained the whole tool
   * list. `lateTokens` is present only if a plan missed its deadline. If this request prunes tools, the
   * provider must cache the instructions and messages again.
   */
  lateTokens: count.optional(),
});
export type PlannedConversation = z.infer<typeof plannedConversation>;

/**
 * Maximum number of user turns before the tool set is decided. If none of these user turns relates to a tool,
 * the conversation keeps the whole tool list. Each additional turn makes a rewrite of the prompt cache more
 * expensive.
 */
export const decidingTurnsMax = 8;

/**
 * The model's token prices and token counts of the conversation. Prices are multiples of the uncached input
 * price. Token counts are estimated with a fixed ratio, so equal texts have equal counts in every turn.
 */
const planPrice = z.object({
  /** Prices for reading from and writing to the prompt cache. Null means no separate price. */
  cacheRead: z.number().min(0).max(100).nullable(),
  cacheWrite: z.number().min(0).max(100).nullable(),
  output: z.number().min(0).max(1000),
  /** Minimum number of tokens in a prefix that the provider can cache. */
  cachedTokensMin: count,
  /** Total number of tokens in the tool definitions. */
  listTokens: count,
  /** Number of tokens before the model's first turn (the instructions and the first message). */
  headTokens: count,
  /**
   * For each of the first user turns, the tokens in the instructions and messages that the previous request
   * contained. The number is 0 until the first response. Gateways from the previous release omit `sentTokens`.
   */
  sentTokens: z.array(count).max(decidingTurnsMax).optional(),
});
export type PlanPrice = z.infer<typeof planPrice>;

/** Maximum number of tools that are forwarded because the instructions mention their names. */
export const systemToolsMax = 16;

const planToolsRequest = z.object({
  accountId: id,
  requestId: id,
  /** SHA-256 hash of the hex hashes in `toolHashes`, joined by newlines. */
  listHash: sha256Hex,
  /**
   * Hashes of the tool definitions. Present only if the router possibly lacks the tool list, or after the
   * router replied `unknown`.
   */
  toolHashes: z.array(sha256Hex).max(4096).optional(),
  /**
   * User turns as text, oldest first, each truncated to a fixed length. The conversation's tool set can grow
   * with each user turn.
   */
  userTurns: z.array(z.string()),
  /**
   * The hash (`hashTurns`) of the turns before `userTurns`. The hash replaces the text of the earlier turns. If
   * the router does not know the hash, the router replies `unknown` and the gateway retries with every turn.
   */
  earlierTurns: sha256Hex.optional(),
  /** Tools called in the transcript, by first call. `calledBefore` is their number before each user turn. */
  calledTools: z.array(z.string()),
  calledBefore: z.array(count).optional(),
  /** Tool results since the last user turn, newest last, each truncated to a fixed length. */
  recentResults: z.array(z.string()),
  /** Names of the tools that are specified in `tool_choice`. */
  forcedTools: z.array(z.string()),
  /**
   * Indexes of the tools that are forwarded regardless of score (built-in tools and tools with a
   * cache marker).
   */
  pinned: z.array(z.object({ position: count, because: z.enum(['built_in', 'cache_control']) })),
  kOverride: z.int().min(1).max(512).nullable(),
  recallTarget: z.number(),
  // Gateways from the previous release do not send the fields below.
  /**
   * The conversation's earlier planning decisions, which the gateway stores. If the field is absent, the
   * router computes the planning decisions from the transcript.
   */
  session: plannedConversation.optional(),
  /**
   * Names of the tools that the conversation's recovery rounds returned, including tools that the model did
   * not call.
   */
  recoveredTools: z.array(z.string()).max(4096).optional(),
  /** Whether pruned tools can be recovered in this request. */
  mayRecover: z.boolean().optional(),
  /** Whether tools can be added after the last message. The cached part of the prompt does not change. */
  appends: z.boolean().optional(),
  /**
   * What a deferred tool costs until a search finds it, which is nothing or its name and description. For a
   * request with this field, the router weighs a tool's score against the length of its definition. For all
   * other requests, the router chooses tools by score alone.
   */
  deferredCost: z.enum(['nothing', 'description']).optional(),
  /** Whether the first plan is final, because reasoning is bound and the provider cannot defer tools. */
  isFinal: z.boolean().optional(),
  price: planPrice.optional(),
  /**
   * Indexes of the tools that are named in the instructions of the conversation's first planned request. The
   * named tools are always forwarded. The list is empty if the instructions name no tool or too many tools.
   */
  systemTools: z.array(count).max(systemToolsMax).optional(),
  /**
   * The random draw for shadow routing. `at` is a number from 0 to 1 that is fixed for each account and
   * conversation. The conversation is a shadow conversation if `at` is below `share`. In a bucket with few
   * measurements, the limit is `learning` instead of `share`. Gateways from the previous release omit
   * `learning`. If the random draw is absent, the conversation is never a shadow conversation.
   */
  shadow: z
    .object({
      at: z.number().min(0).max(1),
      share: z.number().min(0).max(1),
      learning: z.number().min(0).max(1).optional(),
    })
    .optional(),
});

const planToolsReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('planned'),
    /** Indexes of the tools to forward, ascending, so that the tools keep the client's order. */
    forwarded: z.array(count),
    /**
     * Indexes of the forwarded tools that the router selected by rank for a user turn. The gateway stores the
     * indexes of the forwarded tools. Routers from the previous release omit `chosen`.
     */
    chosen: z.array(count).optional(),
    /** Every tool in the tool list, best first. `position` is the tool's index in the tool list. */
    candidates: z.array(
      z.object({
        position: count,
        score: z.number(),
        alwaysIn: z
          .enum(['called', 'tool_choice', 'mentioned', 'built_in', 'cache_control', 'core', 'system_prompt'])
          .optional(),
        /**
         * The smallest K that puts the tool into this turn's tool set. `heldFromK` is 1 for tools that are
         * always included. `heldFromK` occurs only in replies for shadow conversations.
         */
        heldFromK: z.int().min(1).optional(),
        /** `heldFromK` with the account head, and the tool without it. Absent without a fitting account head. */
        learnedFromK: z.int().min(1).optional(),
        unlearned: unlearnedCandidates.element.optional(),
      }),
    ),
    intent: z.enum(['chat', 'lookup', 'act', 'multi-step', 'code', 'continue']),
    method: z.enum(['semantic', 'keyword']),
    /** Number of ranked tools to forward. Null if all tools are forwarded. */
    k: z.int().nullable(),
    kReason: z.enum([
      'calibrated',
      'prior',
      'override',
      'frozen',
      'grown',
      'decided',
      'short_list',
      'uncertain',
      'net_negative',
      'recall_off',
    ]),
    policyVersion: z.string(),
    /**
     * The id of the conversation's bucket (`bucketOf`), based on the intent of the first turn. The id is
     * empty in replies of routers from the previous release.
     */
    bucket: z.string().default(''),
    /**
     * Whether the conversation is a shadow conversation. In a shadow conversation, all tools are forwarded,
     * and the log records the plan.
     */
    isShadow: z.boolean().default(false),
    /**
     * The share of shadow conversations at the time of the random draw. Present only in the reply that makes
     * the conversation a shadow conversation.
     */
    shadowShare: z.number().min(0).max(1).optional(),
    /**
     * How the model can reach pruned tools. The recovery mode is fixed for the conversation. If `armed` is
     * true, the gateway sends the recovery tool with the selected tools. In the mode `in_place`, the tools
     * and the prompt prefix never change. In upstream requests, the gateway replaces calls to tools outside
     * `forwarded` with calls to the recovery tool. In the mode `regrown`, the gateway adds recovered tools to
     * `forwarded`.
     */
    recovery: z.object({ armed: z.boolean(), way: recoveryMode }).default({ armed: false, way: 'in_place' }),
    /**
     * The conversation's recovery mode, which the gateway stores for later requests. Null if pruned tools
     * cannot be recovered. Unlike `recovery`, the stored mode does not depend on whether the current request
     * prunes any tool. Routers from the previous release omit `way`.
     */
    way: recoveryMode.nullable().optional(),
    /** Whether the tool set is still undecided. See `isUndecided` in the request. */
    isUndecided: z.boolean().default(false),
    /**
     * Expected value of pruning over the whole conversation, in tokens at the uncached input price. `saved`
     * is the number of tokens in the tool definitions that are not sent. `spent` is the number of tokens used
     * for the names of pruned tools and for recovery rounds.
     */
    worth: z.object({ saved: z.number(), spent: z.number() }).nullable().default(null),
  }),
  z.object({
    status: z.literal('unknown'),
    /**
     * Hashes of the tool definitions that the router has not stored. The list is empty if the router lacks
     * the tool list or the earlier turns. After the reply `unknown`, the caller must send `toolHashes` and
     * every turn.
     */
    missing: z.array(sha256Hex),
    /** The router instance to which the gateway sends `defineTools` and the repeated call. */
    instanceId: z.string(),
  }),
]);

/**
 * Selects the tools to forward. Requests identify tools by hash. A router that lacks some tool definitions
 * replies `unknown` with its instance id. After the reply `unknown`, the gateway sends the definitions to
 * this router instance with `defineTools` and then retries the call on the same instance. The plan depends
 * only on the request and the policy version. The turns cover the whole transcript, so a replica that has not
 * stored the conversation returns the same plan.
 */
export const planTools = defineRpc({
  subject: 'tool-router.plan-tools.v1',
  server: 'tool-router',
  callers: ['edge-gateway'],
  deadlineMs: 150,
  request: planToolsRequest,
  reply: planToolsReply,
});
/**
 * If earlier turns have at least this number of characters, a hash is sent instead of the text. For shorter
 * turns, the hash saves little, and an unknown hash costs a second round trip.
 */
export const earlierCharactersMin = 4_000;

/**
 * Identifies a list of turns by the SHA-256 hash (hex) of the lengths and texts of the turns. Different turns
 * never produce the same hash input.
 */
export function hashTurns(turns: readonly string[]): string {
  return hash('sha256', `${turns.map((turn) => turn.length).join(',')}\n${turns.join('')}`);
}

/** Returns the SHA-256 hash of the definitions' hashes, joined by newlines. The hash identifies a tool list. */
export function hashToolList(toolHashes: readonly string[]): string {
  return hash('sha256', toolHashes.join('\n'));
}

export type PlanToolsRequest = z.infer<typeof planToolsRequest>;
export type PlanToolsReply = z.infer<typeof planToolsReply>;

/** Resends a planning request to the router instance that just received the tool definitions. */
export const planToolsAt = defineRpc({
  ...planTools,
  subject: 'tool-router.plan-tools-at.v1',
  perInstance: true,
});
