import type { ContextStepName } from '@gateway/contracts';

/** The author of a block. */
export type Speaker = 'system' | 'user' | 'assistant' | 'tool';

/** A part of the conversation, in order: a tool result, text part, or an assistant turn with its calls. */
export interface ContextBlock {
  readonly speaker: Speaker;
  readonly text: string;
  /** Protected: later blocks may refer to it, and it is never changed. */
  readonly frozen: boolean;
  /** An old result. A summary is enough if omitted text can be recovered. */
  readonly old?: boolean | undefined;
}

/**
 * `lossless`: the model sees the same facts. `balanced`: parts of long results are left out, and the model
 * can request them.
 */
export type CompressionMode = 'lossless' | 'balanced';

export interface CompressionSettings {
  readonly mode: CompressionMode;
  /** Whether omitted text can be recovered. If not, `balanced` uses only the steps that omit nothing. */
  readonly recoverable: boolean;
  /**
   * Identifies the account and conversation in marker ids, so that no id is valid in another conversation.
   */
  readonly sessionSeed: string;
}

export interface BlockStepReport {
  readonly step: ContextStepName;
  /** Estimated tokens of the block before and after the step. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** An omitted part of a block, and the id in the marker that replaces it. */
export interface Omission {
  readonly id: string;
  readonly original: string;
}

export interface BlockOutcome {
  /** The text to send instead; null if the block is unchanged. */
  readonly text: string | null;
  /** The steps that changed the block, in order. */
  readonly steps: readonly BlockStepReport[];
  readonly omissions: readonly Omission[];
}

export const unchanged: BlockOutcome = { text: null, steps: [], omissions: [] };
