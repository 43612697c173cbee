import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { checkDigests } from '../inference/model-files.ts';
import type { Encoder, Reranker } from '../inference/inference.port.ts';
import { SentenceTransformer } from '../encoder/sentence-transformer.adapter.ts';
import { WordsEncoder } from '../encoder/words-encoder.adapter.ts';
import { CrossEncoder } from '../reranker/cross-encoder.adapter.ts';
import { FeatureReranker } from '../reranker/feature-reranker.adapter.ts';

/**
 * Loads an encoder of this project (`encoder.json`) or a sentence transformer (`tokenizer.json`) from a
 * directory.
 * @throws if the directory contains no encoder, or if the encoder's files are corrupt.
 */
export async function openEncoder(directory: string, threads: number): Promise<Encoder> {
  await checkDigests(directory);
  if (await hasFile(directory, 'encoder.json')) return WordsEncoder.open(directory, threads);
  if (await hasFile(directory, 'tokenizer.json')) return SentenceTransformer.open(directory, threads);
  throw new Error(`${directory}: missing encoder.json or tokenizer.json`);
}

function hasFile(directory: string, name: string): Promise<boolean> {
  return access(join(directory, name)).then(
    () => true,
    () => false,
  );
}

/**
 * Loads a feature reranker (`features.json`) or a cross-encoder (`tokenizer.json`) from a directory.
 * @throws if the directory contains no reranker, or if the reranker's files are corrupt.
 */
export async function openReranker(directory: string, threads: number): Promise<Reranker> {
  if (await hasFile(directory, 'features.json')) return FeatureReranker.open(directory, threads);
  if (await hasFile(directory, 'tokenizer.json')) return CrossEncoder.open(directory, threads);
  throw new Error(`${directory}: missing features.json or tokenizer.json`);
}
