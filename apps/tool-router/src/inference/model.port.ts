import type { EncoderText, RerankerFacts } from './inference-protocol.ts';

/** Turns texts into vectors of length one, so that a dot product is a cosine. */
export interface Encoder {
  /** Names the model and its words: vectors of one name are comparable, on every replica. */
  readonly id: string;
  readonly dimensions: number;
  /** The vectors, one after another, in the order of the texts. A text's vector is the same in any company. */
  encode(texts: readonly EncoderText[]): Promise<Float32Array>;
  release(): Promise<void>;
}

/** A model that puts the candidates of a turn in order. Of the two ways it has the one that it says it reads. */
export interface Reranker extends RerankerFacts {
  /** Rows of features, one after another → a score a row. */
  scoreFeatures(features: Float32Array): Promise<Float32Array>;
  /** A score a text, for one question. */
  scorePairs(query: string, texts: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}
