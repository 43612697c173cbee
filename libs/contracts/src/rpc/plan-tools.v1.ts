import { hash } from 'node:crypto';
import { z } from 'zod';
import { count, id, sha256Hex } from '../common.ts';
import { defineRpc } from '../define.ts';

/**
 * Asks which tools to forward. Tools travel by hash: the router answers `unknown` with those it has no definition for
 * and the subject of its own instance, and the edge sends them there with `defineTools`, then asks there again.
 *
 * The plan is a pure function of this request and of the policy version: the turns are the whole transcript's, so any
 * replica, with or without a memo, gives the same answer.
 */
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
});

const planToolsReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('planned'),
    /** Positions of the tools to forward, ascending: the client's order stands. */
    forwarded: z.array(count),
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
    kReason: z.enum(['calibrated', 'prior', 'override', 'frozen', 'grown', 'short_list', 'uncertain']),
    policyVersion: z.string(),
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
