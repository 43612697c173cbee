import type { EncoderText, RerankerFacts } from './inference-protocol.ts';

/** Encodes texts as vectors of length one, so that a dot product is a cosine. */
export interface Encoder {
  /** Identifies model and vocabulary. Vectors with the same id are comparable on every replica. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * The vectors, one after another, in the order of the texts. A vector does not depend on the other texts.
   */
  encode(texts: readonly EncoderText[]): Promise<Float32Array>;
  release(): Promise<void>;
}

/** A model that orders the candidates of a turn. Only the method that `reads` names is available. */
export interface Reranker extends RerankerFacts {
  /** Rows of features, one after another. Returns one score per row. */
  scoreFeatures(features: Float32Array): Promise<Float32Array>;
  /** Returns one score per text, for one question. */
  scorePairs(query: string, texts: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}
