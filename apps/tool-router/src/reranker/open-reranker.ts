import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { RerankerFacts } from '../inference/inference-protocol.ts';
import { CrossEncoder } from './cross-encoder.adapter.ts';
import { FeatureReranker } from './feature-reranker.adapter.ts';

/** A model that puts the candidates of a turn in order. Of the two ways it has the one that it says it reads. */
export interface Reranker extends RerankerFacts {
  /** Rows of features, one after another → a score a row. */
  scoreFeatures(features: Float32Array): Promise<Float32Array>;
  /** A score a text, for one question. */
  scorePairs(query: string, texts: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}

/**
 * Opens whatever reranker a folder holds: one of ours (`features.json`), or a cross-encoder (`tokenizer.json`).
 * @throws when it holds neither, or a broken one.
 */
export async function openReranker(directory: string, threads: number): Promise<Reranker> {
  const isThere = (name: string): Promise<boolean> =>
    access(join(directory, name)).then(
      () => true,
      () => false,
    );
  if (await isThere('features.json')) return FeatureReranker.open(directory, threads);
  if (await isThere('tokenizer.json')) return CrossEncoder.open(directory, threads);
  throw new Error(`${directory}: neither features.json nor tokenizer.json is there`);
}
