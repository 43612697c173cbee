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

/** What is to become of the texts of a conversation. */
export interface ContextEdits {
  /** Whole JSON strings of messages in other words: in the body's bytes, ascending. */
  readonly edits: readonly ByteEdit[];
  readonly steps: SchemaResult['steps'];
  /** Estimated. */
  readonly tokens: ContextTokens;
  /**
   * How the model gets back what was left out. Not null from a session's first request on, marker or none, wherever something
   * may be left out: the tool that the model asks with has to stand in the list from the beginning.
   */
  readonly recall: RecallOriginal | null;
  /** What markers mean something in; null where nobody looked at the conversation. */
  readonly session: string | null;
  /** Of what is left out in what goes out: the newest 64. */
  readonly markers: readonly string[];
  /** What was compressed when it came with this request: the newest 64. */
  readonly blocks: readonly string[];
  readonly decision: ContextDecision;
}

/**
 * `taken`: under the account's settings. `cleared`: with this request old results go out as summaries. `kept`: the session was begun
 * under other settings, and goes on under them, since sending it in other words would cost more than it saves.
 */
type ContextDecision = 'taken' | 'cleared' | 'kept';

export interface ContextTokens {
  /** Saved of messages that are new with this request. */
  readonly savedNew: number;
  /** Saved of messages that were sent before. */
  readonly savedAgain: number;
  /** After the first message whose words may differ from those sent before. */
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

/** What is to become of the client's tools, and of the conversation. Indexes are those of the client's list. */
export interface ToolPlan {
  /** Tools that the key may use: the boundary that holds whatever the plan says. */
  readonly eligible: readonly number[];
  /** Tools to forward: `eligible` itself in the identity plan. In a native way, those that the model sees, or may call. */
  readonly forwarded: readonly number[];
  readonly schemaEdits: ReadonlyMap<number, SchemaEdits>;
  readonly context: ContextEdits;
  readonly reason: PlanReason | null;
  /** The router's answer, if it gave one in time. */
  readonly reply: PlannedReply | null;
  /** What the session is known by; null where nobody planned it. */
  readonly conversation: ConversationKeys | null;
  /** Tools that the model asked about in its last turn, and has not been told of. */
  readonly requested?: readonly number[];
  /** What keeps within reach what does not go out. Absent: nothing does, or all of it goes. */
  readonly recovery?: Recovery | undefined;
  /** The provider's own way, in which nothing is left out. Absent: what is not forwarded does not go out. */
  readonly native?: NativeSelection | undefined;
}

/** Forwards everything that the key may use, as it is. */
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
 * A provider's own way to keep tools out of the model's way, in place of leaving them out. `deferred`: all of them go out, and
 * the provider keeps the definitions of those that the plan leaves out from the prompt until the model searches for them.
 * `allowed`: all of them are in the prompt, and the request says which may be called. Both keep the prompt's prefix as it is,
 * whatever a later turn adds.
 */
export interface NativeSelection {
  readonly mode: 'deferred' | 'allowed';
  /** Whom it was chosen for: another model that stands in may not have it. */
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

/** Tools whose definitions go to the provider: in a native way all that the key may use. Of these nothing is saved. */
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

/** What goes out: the bytes, and the plan that they follow. */
export interface Outbound {
  readonly body: Uint8Array;
  readonly plan: ToolPlan;
  /** The same request for another target than the one that was chosen. */
  readonly bodyFor: (target: Target) => Uint8Array;
  /** The same with every tool as it is, for a provider that refuses its own way; null where there is none in it. */
  readonly plainBodyFor: ((target: Target) => Uint8Array) | null;
  /** Turns behind the client's last message, which a translated request is yet to get; in `body` they are where it is not translated. */
  readonly added: readonly ChatMessage[];
  /** The request of a round that the client does not see. */
  readonly roundFor: (target: Target, next: NextRound) => Outbound;
}
