import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Encoder } from './encoder.port.ts';
import { SentenceTransformer } from './sentence-transformer.adapter.ts';
import { WordsEncoder } from './words-encoder.adapter.ts';

/**
 * Opens whatever encoder a folder holds: one of ours (`encoder.json`), or a sentence transformer (`tokenizer.json`).
 * @throws when it holds neither, or a broken one.
 */
export async function openEncoder(directory: string, threads: number): Promise<Encoder> {
  if (await isThere(join(directory, 'encoder.json'))) return WordsEncoder.open(directory, threads);
  if (await isThere(join(directory, 'tokenizer.json'))) return SentenceTransformer.open(directory, threads);
  throw new Error(`${directory}: neither encoder.json nor tokenizer.json is there`);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
