import type { ContextStepName } from '@gateway/contracts';

/** The role that a block comes from. */
export type Speaker = 'system' | 'user' | 'assistant' | 'tool';

/** A part of the conversation, in order: a tool result, a text part, or an assistant turn with its calls. */
export interface ContextBlock {
  readonly speaker: Speaker;
  readonly text: string;
  /** A protected block is never changed. Later blocks may refer to it. */
  readonly frozen: boolean;
  /**
   * Whether the block is an old result. If omitted text can be recovered, a summary of an old result is
   * sufficient.
   */
  readonly old?: boolean | undefined;
}

/**
 * `lossless`: the model receives the same facts. `balanced`: parts of long results are omitted, and the model
 * can request them.
 */
export type CompressionMode = 'lossless' | 'balanced';

export interface CompressionSettings {
  readonly mode: CompressionMode;
  /**
   * Whether omitted text can be recovered. If omitted text cannot be recovered, `balanced` uses only the
   * steps that omit no text.
   */
  readonly recoverable: boolean;
  /**
   * Identifies the account and conversation in marker ids, so that an id is valid only in its own
   * conversation.
   */
  readonly sessionSeed: string;
}

export interface BlockStepReport {
  readonly step: ContextStepName;
  /** Estimated tokens in the block before and after the step. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** An omitted part of a block, with the id in the marker that replaces it. */
export interface Omission {
  readonly id: string;
  readonly original: string;
}

export interface BlockOutcome {
  /** The text to send instead, or null if the block is unchanged. */
  readonly text: string | null;
  /** The steps that changed the block, in order. */
  readonly steps: readonly BlockStepReport[];
  readonly omissions: readonly Omission[];
}

export const unchanged: BlockOutcome = { text: null, steps: [], omissions: [] };
