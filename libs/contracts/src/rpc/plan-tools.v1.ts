import { hash } from 'node:crypto';
import { z } from 'zod';
import { count, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/**
 * Asks which tools to forward. Tools travel by hash: the router answers `unknown` with those it has no definition for
 * and the subject of its own instance, and the edge sends them there with `defineTools`, then asks there again.
 *
 * The plan is a pure function of this request and of the policy version: the turns are the whole transcript's, so any
 * replica, with or without a memo, gives the same answer.
 */
const recoveryMode = z.enum(['in_place', 'regrown']);

/** What a session's plans have been so far: what its transcript can't show, or only with the same policy. */
const plannedConversation = z.object({
  /** Positions, of this very list, that the session's turns have chosen (`chosen`); what is always in comes on top. */
  forwarded: z.array(count).max(4096),
  /** User turns that had their say in it. */
  turns: count,
  /** The version by which they were first chosen. */
  policyVersion: z.string().max(200),
  /** The lane in which the session began. */
  lane: z.enum(['semantic', 'keyword']),
  /** How tools that were left out have been reachable; null: not at all. */
  way: recoveryMode.nullable(),
  /** The full list has been forwarded while the plan was made. */
  isShadow: z.boolean(),
});
export type PlannedConversation = z.infer<typeof plannedConversation>;

/** What tokens cost at the model that is asked, as multiples of its plain input price. Estimated by a fixed ratio, so that every turn says the same. */
const planPrice = z.object({
  /** Of input read from the prompt cache, and written to it; null where the provider keeps none. */
  cacheRead: z.number().min(0).max(100).nullable(),
  cacheWrite: z.number().min(0).max(100).nullable(),
  output: z.number().min(0).max(1000),
  /** The shortest prefix that is cached. */
  cachedTokensMin: count,
  /** Of all definitions in the list. */
  listTokens: count,
  /** Of what stands before the model's first turn: instructions and the first message. */
  headTokens: count,
});
export type PlanPrice = z.infer<typeof planPrice>;

const planToolsRequest = z.object({
  accountId: id,
  requestId: id,
  /** SHA-256 over the hex hashes of `toolHashes`, joined by newlines. */
  listHash: sha256Hex,
  /** Left out when the edge believes that the router knows the list; sent with the retry after `unknown`. */
  toolHashes: z.array(sha256Hex).max(4096).optional(),
  /** Texts of the user's turns, oldest first, each cut to a bound: the session's set is grown turn by turn from these. */
  userTurns: z.array(z.string()),
  /**
   * `hashTurns` of the turns before those in `userTurns`, in place of their texts. A router that does not know them for
   * this account answers `unknown`; the retry then carries every turn.
   */
  earlierTurns: sha256Hex.optional(),
  /** Names of the tools that the transcript calls, in order of first call. */
  calledTools: z.array(z.string()),
  /** What came after the last user turn: results of open calls, newest last, each cut to a bound. */
  recentResults: z.array(z.string()),
  /** Tools that `tool_choice` names. */
  forcedTools: z.array(z.string()),
  /** Positions (in the list) that are forwarded whatever their score: built-in tools and those with a cache marker. */
  pinned: z.array(z.object({ position: count, because: z.enum(['built_in', 'cache_control']) })),
  kOverride: z.int().min(1).max(512).nullable(),
  recallTarget: z.number(),
  // The fields from here on are new: an edge of the release before does not send them yet.
  /** By the edge's memo. Without it the same is computed again of the transcript. */
  session: plannedConversation.optional(),
  /** Names of the tools that hidden rounds of the session brought back, whether or not they were called then. */
  recoveredTools: z.array(z.string()).max(4096).optional(),
  /** Whether tools that are left out can be kept reachable for this request. */
  mayRecover: z.boolean().optional(),
  price: planPrice.optional(),
  /**
   * The draw for shadow routing. `at`, from 0 to 1, is fixed by account and session; the session is drawn where it is
   * below the share, which is higher while a bucket has few samples. Absent: never.
   */
  shadow: z.object({ at: z.number().min(0).max(1), share: z.number().min(0).max(1) }).optional(),
});

const planToolsReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('planned'),
    /** Positions of the tools to forward, ascending: the client's order stands. */
    forwarded: z.array(count),
    /**
     * Of these, what the session's turns chose by rank: what is to be remembered of the session. Absent from a router of the
     * release before.
     */
    chosen: z.array(count).optional(),
    /** Every tool of the list, best first. `position` is its place in the list. */
    candidates: z.array(
      z.object({
        position: count,
        score: z.number(),
        alwaysIn: z.enum(['called', 'tool_choice', 'mentioned', 'built_in', 'cache_control']).optional(),
      }),
    ),
    intent: z.enum(['chat', 'lookup', 'act', 'multi-step', 'code', 'continue']),
    method: z.enum(['semantic', 'keyword']),
    /** Size of the scored part of the forwarded set; null when everything is forwarded. */
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
    /** `bucketOf` of the session: by the intent of its first turn. Empty from a router of the release before. */
    bucket: z.string().default(''),
    /** The session is drawn for shadow routing: forward everything, and keep the plan for the log. */
    isShadow: z.boolean().default(false),
    /**
     * How what is left out stays reachable, the same for the whole session. `armed`: the stand-in tool goes out with the
     * rest. `in_place`: tools and prefix never change; a call of a tool outside `forwarded` is rendered upstream as the
     * stand-in's. `regrown`: what was brought back is in `forwarded` from then on.
     */
    recovery: z.object({ armed: z.boolean(), way: recoveryMode }).default({ armed: false, way: 'in_place' }),
    /**
     * What leaving out is worth over the session that is expected, in tokens at the plain input price: `saved` of
     * definitions that do not go out, `spent` on names and on rounds for what is missed.
     */
    worth: z.object({ saved: z.number(), spent: z.number() }).nullable().default(null),
  }),
  z.object({
    status: z.literal('unknown'),
    /** Empty when the list itself or the earlier turns are not known: send `toolHashes`, and every turn. */
    missing: z.array(sha256Hex),
    /** Where to send `defineTools` and the question again. */
    instanceId: z.string(),
  }),
]);

export const planTools = defineRpc({
  subject: 'tool-router.plan-tools.v1',
  server: 'tool-router',
  callers: ['edge-gateway'],
  deadlineMs: 150,
  request: planToolsRequest,
  reply: planToolsReply,
});
/** Characters of earlier turns from which on their hash goes in place of them. Below, a second trip costs more. */
export const earlierCharactersMin = 4_000;

/** Names a list of turns: SHA-256, in hex, over the turns' lengths and texts, so that no two lists make one input. */
export function hashTurns(turns: readonly string[]): string {
  return hash('sha256', `${turns.map((turn) => turn.length).join(',')}\n${turns.join('')}`);
}

/** Names a tool list: SHA-256, in hex, over the hex hashes of its definitions, joined by newlines. */
export function hashToolList(toolHashes: readonly string[]): string {
  return hash('sha256', toolHashes.join('\n'));
}

export type PlanToolsRequest = z.infer<typeof planToolsRequest>;
export type PlanToolsReply = z.infer<typeof planToolsReply>;

/** The same question, put to one instance: the one that was just sent the definitions. */
export const planToolsAt = defineRpc({
  ...planTools,
  subject: 'tool-router.plan-tools-at.v1',
  perInstance: true,
});

/** Teaches one instance of the router tool definitions that it said it does not know. */
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
        /** `x-svc-examples`: texts that should lead to this tool. */
        examples: z.array(z.string()),
      }),
    ),
  }),
  reply: z.object({ known: count }),
});
export type DefineToolsRequest = z.infer<typeof defineTools.request>;
export type ToolDefinition = DefineToolsRequest['tools'][number];
