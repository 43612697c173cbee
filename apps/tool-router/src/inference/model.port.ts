import type { EncoderText, RerankerFacts } from './inference-protocol.ts';

/** Encodes texts as unit-length vectors, so that a dot product equals the cosine. */
export interface Encoder {
  /**
   * Identifies the model and its vocabulary. Vectors with the same model id are comparable across replicas.
   */
  readonly id: string;
  readonly dimensions: number;
  /**
   * Returns the vectors of the texts, concatenated in the order of the texts. A text's vector does not depend
   * on the other texts.
   */
  encode(texts: readonly EncoderText[]): Promise<Float32Array>;
  release(): Promise<void>;
}

/**
 * A model that reranks the candidate tools for a turn. The field `reads` determines which of the two scoring methods
 * is available.
 */
export interface Reranker extends RerankerFacts {
  /** Takes concatenated feature rows, and returns one score per row. */
  scoreFeatures(features: Float32Array): Promise<Float32Array>;
  /** Takes one query with several texts and returns one score per text. */
  scorePairs(query: string, texts: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}
