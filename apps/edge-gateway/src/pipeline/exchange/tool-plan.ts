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

/** The compression of a conversation. */
export interface ContextEdits {
  /** Replacements of whole JSON strings, at positions in the body, ascending. */
  readonly edits: readonly ByteEdit[];
  readonly steps: SchemaResult['steps'];
  /** Estimated numbers of tokens. */
  readonly tokens: ContextTokens;
  /**
   * Returns removed texts to the model. Not null from the first request of a conversation on if text may be
   * removed later, because the recovery tool must be in the tool list from the beginning.
   */
  readonly recall: RecallOriginal | null;
  /** Identifies the conversation in which markers are valid. Null if the conversation was not compressed. */
  readonly session: string | null;
  /** Ids of the texts removed in this request. The newest 64. */
  readonly markers: readonly string[];
  /** Ids of the texts compressed when they arrived with this request. The newest 64. */
  readonly blocks: readonly string[];
  readonly decision: ContextDecision;
}

/**
 * `taken`: the account's settings apply. `cleared`: from this request on, summaries replace old results.
 * `kept`: the settings of the conversation's start still apply, because a change would cost more than it
 * saves.
 */
type ContextDecision = 'taken' | 'cleared' | 'kept';

export interface ContextTokens {
  /** Tokens saved in messages that are new in this request. */
  readonly savedNew: number;
  /** Tokens saved in messages that earlier requests contained. */
  readonly savedAgain: number;
  /** Tokens after the first message that may differ from earlier requests. */
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

/** The plan for the client's tools and the conversation. Indexes refer to the client's list. */
export interface ToolPlan {
  /** Tools that the key may use. No plan forwards other tools. */
  readonly eligible: readonly number[];
  /**
   * Tools to forward; all of `eligible` in the identity plan. With deferral, the tools that the model sees or
   * may call.
   */
  readonly forwarded: readonly number[];
  readonly schemaEdits: ReadonlyMap<number, SchemaEdits>;
  readonly context: ContextEdits;
  readonly reason: PlanReason | null;
  /** The router's reply. Null if it was late or failed. */
  readonly reply: PlannedReply | null;
  /** Null if the conversation was not planned. */
  readonly conversation: ConversationKeys | null;
  /** Tools that the model requested in its last turn. Their definitions are added to this request. */
  readonly requested?: readonly number[];
  /** Makes pruned tools reachable. Absent if no tools are pruned or recovery does not apply. */
  readonly recovery?: Recovery | undefined;
  /** Deferral, with which no tool is pruned. Absent if tools outside `forwarded` are pruned. */
  readonly deferral?: Deferral | undefined;
}

/** Forwards all tools that the key may use, unchanged. */
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
 * The provider's own alternative to pruning. `deferred`: all definitions are sent, and the provider hides
 * those outside `forwarded` until the model searches for them. `allowed`: all definitions are in the prompt,
 * and the request lists the tools that may be called. Later turns never change the prompt's prefix.
 */
export interface Deferral {
  readonly mode: 'deferred' | 'allowed';
  /** The model for which it was chosen. A fallback model may not support it. */
  readonly provider: string;
  readonly model: string;
}

export function isDeferralAt({ provider, model }: Deferral, target: Target): boolean {
  return target.lane.kind === 'same-format' && target.provider.name === provider && target.model === model;
}

interface Selected {
  readonly eligible: readonly number[];
  readonly forwarded: readonly number[];
  readonly deferral?: Deferral | undefined;
}

/**
 * Tools with definitions in the provider request. With deferral these are all eligible tools, so nothing is
 * saved.
 */
export function listSent({ eligible, forwarded, deferral: native }: Selected): readonly number[] {
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

/** The provider request and the plan that it follows. */
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
