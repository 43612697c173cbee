import type { ContextStepName } from '@gateway/contracts';

/** The role in the conversation to which a block belongs. */
export type Speaker = 'system' | 'user' | 'assistant' | 'tool';

/**
 * A block is a tool result, a text part, or an assistant turn with its tool calls. Blocks are in the order of
 * the conversation.
 */
export interface ContextBlock {
  readonly speaker: Speaker;
  readonly text: string;
  /**
   * Whether the block must stay unchanged. The compressor never changes a protected block, but later blocks
   * may refer to it.
   */
  readonly frozen: boolean;
  /**
   * Whether the block is an old tool result. If the model can recover omitted text, a summary replaces an old
   * tool result.
   */
  readonly old?: boolean | undefined;
}

/**
 * Compression mode. The mode `lossless` keeps all facts that the model needs. The mode `balanced` omits
 * passages of long tool results. The model can request the omitted passages.
 */
export type CompressionMode = 'lossless' | 'balanced';

export interface CompressionSettings {
  readonly mode: CompressionMode;
  /**
   * Whether the model can recover omitted text. If omitted text cannot be recovered, the mode `balanced` uses only
   * the compression steps that omit no text.
   */
  readonly recoverable: boolean;
  /**
   * A seed for marker ids that differs between accounts and conversations, so that a marker id is valid only in
   * its own conversation.
   */
  readonly sessionSeed: string;
}

export interface BlockStepReport {
  readonly step: ContextStepName;
  /** Estimated number of tokens in the block before and after the step. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Text that was omitted from a block, and the id in the marker that replaces it. */
export interface Omission {
  readonly id: string;
  readonly original: string;
}

export interface BlockOutcome {
  /** The text that is sent in place of the block's text, or null if the block is unchanged. */
  readonly text: string | null;
  /** The compression steps that changed the block, in order. */
  readonly steps: readonly BlockStepReport[];
  readonly omissions: readonly Omission[];
}

export const unchanged: BlockOutcome = { text: null, steps: [], omissions: [] };
