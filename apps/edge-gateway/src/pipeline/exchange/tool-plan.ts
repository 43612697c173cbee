import type { CompressSchemasReply, PlanToolsReply } from '@gateway/contracts';
import type { ByteEdit, ChatMessage, PlanReason } from '@gateway/interchange';
import type { EditedRequest } from '@gateway/wire-formats';
import type { RecallOriginal, Recovery } from '../recovery/recovery.ts';
import type { Conversation } from '../../request/conversation.ts';
import type { Target } from '../../request/request.ts';
import type { NextRound } from '../recovery/round-requests.ts';

type SchemaResult = CompressSchemasReply['results'][number];
export type PlannedReply = Extract<PlanToolsReply, { status: 'planned' }>;

/**
 * Edits to the definition of one tool. The offsets of the edits are relative to the first byte of the definition.
 */
export interface SchemaEdits {
  readonly edits: readonly ByteEdit[];
  readonly steps: SchemaResult['steps'];
}

/** The compression of a conversation, as returned by the compressor. */
export interface ContextEdits {
  /** Replacements for whole JSON strings in the request body, in ascending order of position. */
  readonly edits: readonly ByteEdit[];
  readonly steps: SchemaResult['steps'];
  /** Estimated token counts before and after compression. */
  readonly tokens: ContextTokens;
  /**
   * Recall returns removed text to the model. If a later request may remove text, recall is available in all
   * requests of the conversation. The recovery tool must be in the tool list of every request, including the first.
   */
  readonly recall: RecallOriginal | null;
  /**
   * Identifies the conversation in which the markers are valid. Null if the conversation was not
   * compressed.
   */
  readonly session: string | null;
  /** Marker ids for the newest 64 pieces of text that this request removes. */
  readonly markers: readonly string[];
  /** Ids of the newest 64 content blocks that arrived with this request and were compressed. */
  readonly blocks: readonly string[];
  readonly decision: ContextDecision;
  /** Whether the compressor processed at least one message of the conversation. */
  readonly isCompressed: boolean;
}

/**
 * With `taken`, the account's compression settings apply. With `cleared`, summaries replace old tool results,
 * starting with this request. With `kept`, the conversation keeps its original compression settings, because a
 * change would cost more than it saves.
 */
type ContextDecision = 'taken' | 'cleared' | 'kept';

export interface ContextTokens {
  /** Tokens saved in messages that first appear in this request. */
  readonly savedNew: number;
  /** Tokens saved in messages that earlier requests already contained. */
  readonly savedAgain: number;
  /** Number of tokens after the first message that an earlier request compressed differently. */
  readonly rewritten: number;
}

export const noContextEdits: ContextEdits = {
  edits: [],
  steps: [],
  tokens: { savedNew: 0, savedAgain: 0, rewritten: 0 },
  recall: null,
  session: null,
  markers: [],
  blocks: [],
  decision: 'taken',
  isCompressed: false,
};

/**
 * The plan for the client's tools and the conversation. Tool indexes in a plan refer to the client's tool
 * list.
 */
export interface ToolPlan {
  /** Tools that the key may use. A plan never forwards a tool that the key may not use. */
  readonly eligible: readonly number[];
  /**
   * Tools that the plan forwards. A plan without changes forwards all `eligible` tools. With deferral, a tool
   * counts as forwarded if the prompt contains its definition or the model may call it.
   */
  readonly forwarded: readonly number[];
  readonly schemaEdits: ReadonlyMap<number, SchemaEdits>;
  readonly context: ContextEdits;
  readonly reason: PlanReason | null;
  /** The reply from the tool router. Null if the reply was late or the call to the tool router failed. */
  readonly reply: PlannedReply | null;
  /** Keys under which the plan is stored. Null if the conversation was not planned. */
  readonly conversation: ConversationKeys | null;
  /**
   * Tools that the model requested in its last turn. The definitions of the requested tools are added to the
   * current request.
   */
  readonly requested?: readonly number[];
  /**
   * The recovery through which the model can reach pruned tools. Absent if no tools are pruned or recovery
   * does not apply.
   */
  readonly recovery?: Recovery | undefined;
  /** Deferral in place of pruning. Absent if the plan prunes all tools that are not in `forwarded`. */
  readonly deferral?: Deferral | undefined;
  /**
   * The parts of the plan that exist only for a conversation with bound reasoning. Every request of a conversation
   * with bound reasoning must repeat the plan unchanged.
   */
  readonly bound?: BoundPlan | undefined;
  /** SHA-256 of each tool's definition, in the client's order. Absent if no tools were planned. */
  readonly toolHashes?: readonly string[] | undefined;
}

/** Returns a plan that forwards all tools that the API key may use, unchanged. */
export function identityPlan(eligible: readonly number[], reason: PlanReason | null): ToolPlan {
  return {
    eligible,
    forwarded: eligible,
    schemaEdits: new Map(),
    context: noContextEdits,
    reason,
    reply: null,
    conversation: null,
  };
}

/**
 * Deferral is the provider's own alternative to pruning. Deferral keeps the prompt's prefix unchanged in later
 * turns. With `deferred`, the request contains all definitions. The provider hides the tools outside
 * `forwarded` until the model searches for them. With `allowed`, the prompt contains all definitions, and the
 * request lists the tools that the model may call.
 */
export interface Deferral {
  readonly mode: 'deferred' | 'allowed';
  /** Returns whether deferral applies to a target. Some fallback models do not support deferral. */
  readonly appliesAt: (target: Target) => boolean;
  /**
   * Deferred tools that were loaded after user messages of earlier turns or the current turn, oldest first. Absent
   * if no turn loaded tools.
   */
  readonly additions?: readonly ToolAddition[];
  /** Returns whether messages can load deferred tools at a target that supports deferral. */
  readonly loadsAt?: (target: Target) => boolean;
}

/** Deferred tools that the gateway loads after a user message, without changing the prompt's prefix. */
export interface ToolAddition {
  /** Index of the user message after which the gateway inserts the message that loads tools. */
  readonly after: number;
  /** Indexes of the loaded tools in the client's tool list. */
  readonly tools: readonly number[];
}

/** The parts of a plan that later stages use in a conversation with bound reasoning. */
export interface BoundPlan {
  /** Whether a change by the gateway can cause the provider to reject reasoning in this request. */
  readonly mayBeOurs: boolean;
  /**
   * Whether requests set `drop_block`, so that the provider drops invalid reasoning rather than rejecting the
   * request. True after the provider has rejected reasoning in this conversation.
   */
  readonly dropsBlocks: boolean;
  /** Sets `drop_block` for the remaining requests of the conversation. */
  readonly remember: () => void;
  /**
   * Stores the decision to send every tool unchanged after the provider rejected deferral. Present only in the first
   * request of a conversation, because a later decision would change the prefix of the prompt.
   */
  readonly abandon?: () => Promise<void>;
  /**
   * Records that the conversation loads no tools, after the provider rejected the first message that loads tools.
   * Present only in the request with the first message that loads tools.
   */
  readonly withdraw?: () => Promise<void>;
}

interface Selected {
  readonly eligible: readonly number[];
  readonly forwarded: readonly number[];
  readonly deferral?: Deferral | undefined;
}

/**
 * Returns the tools that are defined in the provider request. With deferral, the request defines all tools that the
 * key may use, so deferral does not reduce the number of definitions.
 */
export function listSent({ eligible, forwarded, deferral }: Selected): readonly number[] {
  return deferral === undefined ? forwarded : eligible;
}

/** Lists the tools in the prompt, which are the forwarded tools and the tools that user turns load. */
export function listShown({ forwarded, deferral }: Omit<Selected, 'eligible'>): readonly number[] {
  const loaded = deferral?.additions?.flatMap(({ tools }) => tools) ?? [];
  return loaded.length === 0 ? forwarded : [...forwarded, ...loaded];
}

/**
 * Lists the pruned tools, and the deferred tools that the model has not found. The plan hides the listed tools from
 * the model. For a shadow conversation, the list is empty, because the plan is not applied.
 */
export function listLeftOut({ eligible, forwarded, deferral }: Selected): readonly number[] {
  if (deferral?.mode === 'allowed') return [];
  const shown = new Set(listShown({ forwarded, deferral }));
  return eligible.filter((index) => !shown.has(index));
}

/**
 * Returns the number of tool definitions that reach the model with the first provider request. The recovery tool,
 * and tools that the gateway defines after the last message, also count.
 */
export function countReaching(plan: ToolPlan): number {
  const { eligible, recovery } = plan;
  const own = recovery === undefined ? 0 : 1 + recovery.described.length;
  return eligible.length - listLeftOut(plan).length + own;
}

/**
 * Keys under which the planner stores a conversation. Each storage key is valid for one account and one tool
 * list. Each storage key is a SHA-256 hash in hexadecimal form.
 */
export interface ConversationKeys {
  readonly accountId: string;
  /**
   * The conversation key that is computed from all messages in this request. In the next turn, the planner looks up
   * the conversation's state under this key.
   */
  readonly here: string;
  /**
   * The conversation key that is computed from all messages before the model's last turn. Null for the first request
   * of a conversation.
   */
  readonly before: string | null;
  /** The key that is identical in every request of the conversation. */
  readonly conversation: string;
  /** The first 16 hex digits of the hash of the tool list. */
  readonly toolList: string;
}

/** The upstream request and the plan on which it is based. */
export interface Outbound {
  readonly body: Uint8Array;
  /** The parts of `body`, if `body` consists of the client's bytes and edits. */
  readonly edited?: EditedRequest | undefined;
  /** The edits to the client's bytes that `body` already contains. */
  readonly edits: readonly ByteEdit[];
  readonly conversation: Conversation;
  readonly plan: ToolPlan;
  /** Renders the upstream request for another target. */
  readonly bodyFor: (target: Target) => Uint8Array;
  /**
   * Renders the request with every tool unchanged, for a provider that rejects deferral. Null if the plan has
   * no deferral.
   */
  readonly plainBodyFor: ((target: Target) => Uint8Array) | null;
  /**
   * Renders the request without the messages that load tools, for a provider that rejects such messages. Present
   * only if this request contains the first message of the conversation that loads tools.
   */
  readonly unloadedBodyFor?: ((target: Target) => Uint8Array) | undefined;
  /** Returns the beta flag that the request needs at a target, in addition to the client's beta flags. */
  readonly betaFor?: ((target: Target) => string | undefined) | undefined;
  /**
   * Messages that follow the client's last message. The field `body` already contains the added messages
   * unless the request is translated.
   */
  readonly added: readonly ChatMessage[];
  /** Builds the request for a recovery round. */
  readonly roundFor: (target: Target, next: NextRound) => Outbound;
}
