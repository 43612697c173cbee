import { hash } from 'node:crypto';
import { z } from 'zod';
import { count, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** How pruned tools stay reachable: see `recovery` in the reply. Glossary: recovery mode. */
const recoveryMode = z.enum(['in_place', 'regrown']);

/**
 * The earlier plans of a conversation. They cannot be derived from the transcript, or only while the policy is
 * unchanged.
 */
const plannedConversation = z.object({
  /**
   * Positions in this list that the user turns selected by rank (`chosen`), without the tools that are always
   * included.
   */
  forwarded: z.array(count).max(4096),
  /** Number of user turns that the selection covers. */
  turns: count,
  /** The policy version of the first selection. */
  policyVersion: z.string().max(200),
  /** The ranking method at the start of the conversation. Glossary: ranking method. */
  lane: z.enum(['semantic', 'keyword']),
  /** The recovery mode so far; null: pruned tools were not reachable. Glossary: recovery mode. */
  way: recoveryMode.nullable(),
  /** Whether the full list was forwarded although a plan was made. */
  isShadow: z.boolean(),
});
export type PlannedConversation = z.infer<typeof plannedConversation>;

/**
 * Token prices of the model as multiples of its plain input price, and token counts. The counts are estimated
 * with a fixed ratio, so they are the same in every turn.
 */
const planPrice = z.object({
  /** Price of reading from and writing to the prompt cache; null if the provider has none. */
  cacheRead: z.number().min(0).max(100).nullable(),
  cacheWrite: z.number().min(0).max(100).nullable(),
  output: z.number().min(0).max(1000),
  /** Minimum length of a cached prefix, in tokens. */
  cachedTokensMin: count,
  /** Tokens of all definitions in the list. */
  listTokens: count,
  /** Tokens before the model's first turn: instructions and the first message. */
  headTokens: count,
});
export type PlanPrice = z.infer<typeof planPrice>;

const planToolsRequest = z.object({
  accountId: id,
  requestId: id,
  /** SHA-256 over the hex hashes of `toolHashes`, joined by newlines. */
  listHash: sha256Hex,
  /** Omitted if the router probably knows the list; sent in the retry after `unknown`. */
  toolHashes: z.array(sha256Hex).max(4096).optional(),
  /**
   * Texts of the user turns, oldest first, each truncated to a fixed length. The conversation's tool set
   * grows turn by turn from them.
   */
  userTurns: z.array(z.string()),
  /**
   * `hashTurns` of the turns before those in `userTurns`, instead of their texts. A router that does not know
   * them replies `unknown`; the retry then carries every turn.
   */
  earlierTurns: sha256Hex.optional(),
  /** Names of the tools called in the transcript, in order of the first call. */
  calledTools: z.array(z.string()),
  /** Results after the last user turn, newest last, each truncated to a fixed length. */
  recentResults: z.array(z.string()),
  /** Tools that `tool_choice` names. */
  forcedTools: z.array(z.string()),
  /**
   * Positions in the list that are forwarded regardless of their score: built-in tools and tools with a cache
   * marker.
   */
  pinned: z.array(z.object({ position: count, because: z.enum(['built_in', 'cache_control']) })),
  kOverride: z.int().min(1).max(512).nullable(),
  recallTarget: z.number(),
  // The fields from here on are new: gateways of the previous release do not send them.
  /** From the gateway's memory. Without it, the router computes the same from the transcript. */
  session: plannedConversation.optional(),
  /** Names of the tools that recovery rounds of the conversation returned, called or not. */
  recoveredTools: z.array(z.string()).max(4096).optional(),
  /** Whether pruned tools can be recovered in this request. */
  mayRecover: z.boolean().optional(),
  price: planPrice.optional(),
  /**
   * The draw for shadow routing. `at`, 0 to 1, is fixed for the account and conversation. The conversation is
   * drawn if `at` is below the share, which is higher for buckets with few samples. Absent: never drawn.
   */
  shadow: z.object({ at: z.number().min(0).max(1), share: z.number().min(0).max(1) }).optional(),
});

const planToolsReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('planned'),
    /** Positions of the tools to forward, ascending, which keeps the client's order. */
    forwarded: z.array(count),
    /**
     * The forwarded positions that user turns selected by rank. The gateway remembers them. Routers of the
     * previous release omit it.
     */
    chosen: z.array(count).optional(),
    /** Every tool of the list, best first. `position` is its position in the list. */
    candidates: z.array(
      z.object({
        position: count,
        score: z.number(),
        alwaysIn: z.enum(['called', 'tool_choice', 'mentioned', 'built_in', 'cache_control']).optional(),
      }),
    ),
    intent: z.enum(['chat', 'lookup', 'act', 'multi-step', 'code', 'continue']),
    method: z.enum(['semantic', 'keyword']),
    /** Number of scored tools to forward; null if everything is forwarded. */
    k: z.int().nullable(),
    kReason: z.enum([
      'calibrated',
      'prior',
      'override',
      'frozen',
      'grown',
      'short_list',
      'uncertain',
      'net_negative',
    ]),
    policyVersion: z.string(),
    /**
     * `bucketOf` the conversation, by the intent of its first turn. Empty from a router of the previous
     * release.
     */
    bucket: z.string().default(''),
    /** The conversation is drawn for shadow routing: forward everything, and record the plan in the log. */
    isShadow: z.boolean().default(false),
    /**
     * How pruned tools stay reachable, the same for the whole conversation. `armed`: the recovery tool is
     * sent with the others. `in_place`: tools and prefix never change, and a call to a tool outside
     * `forwarded` is rendered upstream as a call of the recovery tool. `regrown`: recovered tools are added
     * to `forwarded`.
     */
    recovery: z.object({ armed: z.boolean(), way: recoveryMode }).default({ armed: false, way: 'in_place' }),
    /**
     * Expected value of pruning over the conversation, in tokens at the plain input price. `saved`:
     * definitions that are not sent. `spent`: names of pruned tools, and recovery rounds.
     */
    worth: z.object({ saved: z.number(), spent: z.number() }).nullable().default(null),
  }),
  z.object({
    status: z.literal('unknown'),
    /** Empty if the list itself or the earlier turns are unknown. Then send `toolHashes` and every turn. */
    missing: z.array(sha256Hex),
    /** The instance to which `defineTools` and the retry are sent. */
    instanceId: z.string(),
  }),
]);

/**
 * Selects the tools to forward. Requests carry tools by hash. A router without some definitions replies `unknown` and names its
 * instance. The gateway then sends the definitions with `defineTools` and retries at that instance.
 *
 * The plan is a pure function of the request and the policy version. Any replica, with or without a memory, gives the same
 * reply, because the turns cover the whole transcript.
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
 * Minimum length of earlier turns, in characters, for sending their hash instead. For shorter ones a possible
 * second round trip costs more.
 */
export const earlierCharactersMin = 4_000;

/**
 * Identifies a list of turns: SHA-256 (hex) over their lengths and texts. Different lists never have the same
 * input.
 */
export function hashTurns(turns: readonly string[]): string {
  return hash('sha256', `${turns.map((turn) => turn.length).join(',')}\n${turns.join('')}`);
}

/** Identifies a tool list: SHA-256 (hex) over the hex hashes of its definitions, joined by newlines. */
export function hashToolList(toolHashes: readonly string[]): string {
  return hash('sha256', toolHashes.join('\n'));
}

export type PlanToolsRequest = z.infer<typeof planToolsRequest>;
export type PlanToolsReply = z.infer<typeof planToolsReply>;

/** Sends the same request to one instance: the one that just received the definitions. */
export const planToolsAt = defineRpc({
  ...planTools,
  subject: 'tool-router.plan-tools-at.v1',
  perInstance: true,
});

/** Sends tool definitions to the instance of the router that replied `unknown`. */
export const defineTools = defineRpc({
  subject: 'tool-router.define-tools.v1',
  server: 'tool-router',
  callers: ['edge-gateway'],
  perInstance: true,
  deadlineMs: 150,
  request: z.object({
    tools: z.array(
      z.object({
        hash: sha256Hex,
        /** Null for a built-in tool without a name. */
        name: z.string().nullable(),
        description: z.string(),
        /** The JSON Schema of the arguments as the client wrote it, or null. */
        parameters: z.unknown(),
        /** `x-svc-examples`: example texts for which this tool is the right choice. */
        examples: z.array(z.string()),
      }),
    ),
  }),
  reply: z.object({ known: count }),
});
export type DefineToolsRequest = z.infer<typeof defineTools.request>;
export type ToolDefinition = DefineToolsRequest['tools'][number];
