import type { ByteEdit } from '@gateway/interchange';
import type { CompressBlocksReply } from '@gateway/contracts';

export type ContextStep = Extract<
  CompressBlocksReply,
  { status: 'compressed' }
>['results'][number]['steps'][number];

/** How a message goes out, for ever: decided when it came in. */
export interface MessageEdits {
  /** Relative to the message's first byte; none where it goes as it came. */
  readonly edits: readonly ByteEdit[];
  readonly steps: readonly ContextStep[];
  /** Of what was left out. */
  readonly markers: readonly string[];
  /** What exact counts of what was compressed are kept under. */
  readonly blocks: readonly string[];
  /** It was not looked at in time, and goes as it came in every later turn too. */
  readonly wasLate: boolean;
}

export const wentAsItCame: MessageEdits = { edits: [], steps: [], markers: [], blocks: [], wasLate: true };
