import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { CrossEncoder } from './cross-encoder.adapter.ts';
import { FeatureReranker } from './feature-reranker.adapter.ts';
import type { Reranker } from './reranker.port.ts';

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
