import type { ChatMessage } from '@gateway/interchange';
import type { NextRound } from './net/hidden-rounds.ts';
import type { Target } from './target.ts';
import type { ToolPlan } from './tool-plan.ts';

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
