import type { RerankerFacts } from '../inference/inference-protocol.ts';

/** A model that puts the candidates of a turn in order. Of the two ways it has the one that it says it reads. */
export interface Reranker extends RerankerFacts {
  /** Rows of features, one after another → a score a row. */
  scoreFeatures(features: Float32Array): Promise<Float32Array>;
  /** A score a text, for one question. */
  scorePairs(query: string, texts: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}
