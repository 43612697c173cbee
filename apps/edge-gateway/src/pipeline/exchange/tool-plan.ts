import type { CompressSchemasReply, PlanToolsReply } from '@gateway/contracts';
import type { ByteEdit, ChatMessage, PlanReason } from '@gateway/interchange';
import type { RecallOriginal, Recovery } from '../recovery/recovery.ts';
import type { Target } from '../../request/request.ts';
import type { NextRound } from '../recovery/recovery-rounds.ts';

type SchemaResult = CompressSchemasReply['results'][number];
export type PlannedReply = Extract<PlanToolsReply, { status: 'planned' }>;

/** Edits of one tool definition, relative to its first byte. */
export interface SchemaEdits {
  readonly edits: readonly ByteEdit[];
  readonly steps: SchemaResult['steps'];
}

/** The compression of a conversation's texts. */
export interface ContextEdits {
  /** Replacements of whole JSON strings in messages. Offsets are those of the body's bytes, ascending. */
  readonly edits: readonly ByteEdit[];
  readonly steps: SchemaResult['steps'];
  /** Estimated. */
  readonly tokens: ContextTokens;
  /**
   * Recalls compressed content. Set from the first request of a conversation on wherever content may be
   * compressed, because the recovery tool must be in the tool list from the beginning. Otherwise null.
   */
  readonly recall: RecallOriginal | null;
  /** The conversation that markers refer to. Null if the conversation was not examined. */
  readonly session: string | null;
  /** Markers of the compressed content in this request: the newest 64. */
  readonly markers: readonly string[];
  /** Blocks that were compressed when they first arrived, with this request: the newest 64. */
  readonly blocks: readonly string[];
  readonly decision: ContextDecision;
}

/**
 * `taken`: compressed under the account's settings. `cleared`: old results are replaced by summaries with
 * this request. `kept`: the conversation began under other settings and keeps them, because changing its
 * texts would cost more than it saves.
 */
type ContextDecision = 'taken' | 'cleared' | 'kept';

export interface ContextTokens {
  /** Saved in messages that are new with this request. */
  readonly savedNew: number;
  /** Saved in messages that were sent before. */
  readonly savedAgain: number;
  /** Tokens after the first message whose text may differ from the text sent before. */
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
};

/** The plan for the client's tools and conversation. Indexes are those of the client's list. */
export interface ToolPlan {
  /** Tools that the key may use. No plan goes beyond them. */
  readonly eligible: readonly number[];
  /**
   * Tools to forward. In the identity plan, `eligible` itself. With a native selection, the tools that the
   * model sees or may call.
   */
  readonly forwarded: readonly number[];
  readonly schemaEdits: ReadonlyMap<number, SchemaEdits>;
  readonly context: ContextEdits;
  readonly reason: PlanReason | null;
  /** The router's reply, if it arrived in time. */
  readonly reply: PlannedReply | null;
  /** The keys of the conversation. Null if it was not planned. */
  readonly conversation: ConversationKeys | null;
  /** Tools that the model requested in its last turn and did not receive. */
  readonly requested?: readonly number[];
  /**
   * The recovery of pruned tools and compressed content. Absent if nothing can be recovered, or everything is
   * sent.
   */
  readonly recovery?: Recovery | undefined;
  /** The provider's own selection, in which every tool is sent. Absent: only forwarded tools are sent. */
  readonly native?: NativeSelection | undefined;
}

/** Creates a plan that forwards every tool that the key may use, unchanged. */
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
 * A provider's own way to limit the tools that the model sees. `deferred`: all tools are sent, and the
 * provider loads the definitions of pruned tools when the model searches for them. `allowed`: all tools are
 * in the prompt, and the request lists the callable ones. Both keep the prompt's prefix unchanged when a
 * later turn adds tools.
 */
export interface NativeSelection {
  readonly mode: 'deferred' | 'allowed';
  /** The selection is valid for this model only. A fallback may not support it. */
  readonly provider: string;
  readonly model: string;
}

export function isNativeAt({ provider, model }: NativeSelection, target: Target): boolean {
  return target.lane.kind === 'same-format' && target.provider.name === provider && target.model === model;
}

interface Selected {
  readonly eligible: readonly number[];
  readonly forwarded: readonly number[];
  readonly native?: NativeSelection | undefined;
}

/**
 * Tools whose definitions are sent to the provider. With a native selection, every tool that the key may use;
 * nothing is saved then.
 */
export function listSent({ eligible, forwarded, native }: Selected): readonly number[] {
  return native === undefined ? forwarded : eligible;
}

/** Keys under which planning remembers a conversation, limited to one account and tool list. SHA-256 in hex. */
export interface ConversationKeys {
  /** All messages of this request. The next turn looks under it. */
  readonly here: string;
  /** All messages before the model's last turn. Null in the first request of a conversation. */
  readonly before: string | null;
  /** The same in every request of the conversation. */
  readonly conversation: string;
}

/** The request to send, and the plan that it follows. */
export interface Outbound {
  readonly body: Uint8Array;
  readonly plan: ToolPlan;
  /** The same request for another target. */
  readonly bodyFor: (target: Target) => Uint8Array;
  /**
   * The same request with every tool unchanged, for a provider that rejects a native selection. Null without
   * one.
   */
  readonly plainBodyFor: ((target: Target) => Uint8Array) | null;
  /** Messages after the client's last one. `body` already contains them unless the request is translated. */
  readonly added: readonly ChatMessage[];
  /** The request of a recovery round. */
  readonly roundFor: (target: Target, next: NextRound) => Outbound;
}
