import type { ContextStepName } from '@gateway/contracts';

/** Whose words a piece of context is. */
export type Speaker = 'system' | 'user' | 'assistant' | 'tool';

/** A piece of context, in the order of the conversation: a tool result, a text part, an assistant's turn with its calls. */
export interface ContextBlock {
  readonly speaker: Speaker;
  readonly text: string;
  /** Protected: it may be referred to, and is never changed. */
  readonly frozen: boolean;
  /** A result from long ago, of which a summary is enough where what is left out can be brought back. */
  readonly old?: boolean | undefined;
}

/** `lossless`: the model sees the same facts. `balanced`: what is left out of long results can be asked for again. */
export type CompressionMode = 'lossless' | 'balanced';

export interface CompressionSettings {
  readonly mode: CompressionMode;
  /**
   * Whether what is left out can be brought back. Without it `balanced` takes only the steps that leave nothing out.
   */
  readonly recoverable: boolean;
  /** Names the account and session in the ids of markers, so that none means anything to another. */
  readonly sessionSeed: string;
}

export interface BlockStepReport {
  readonly step: ContextStepName;
  /** Estimated, of the block before the step and after it. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** A part of a block that was left out, and the id in the marker that stands for it. */
export interface Omission {
  readonly id: string;
  readonly original: string;
}

export interface BlockOutcome {
  /** What is sent instead; null when the block goes as it came. */
  readonly text: string | null;
  /** The steps that found something to take away, in their order. */
  readonly steps: readonly BlockStepReport[];
  readonly omissions: readonly Omission[];
}

export const unchanged: BlockOutcome = { text: null, steps: [], omissions: [] };
