import type { PackedVector } from './vector-blocks.ts';

/** Vectors that the replicas share, so that a tool is encoded once by any of them. Never fails: what it cannot do, it does not do. */
export interface SharedVectors {
  /** Those that are there, by definition hash. */
  fetch(modelId: string, dimensions: number, hashes: readonly string[]): Promise<Map<string, PackedVector>>;
  store(modelId: string, vectors: ReadonlyMap<string, PackedVector>): Promise<void>;
}

/** For a router by itself. */
export const noSharedVectors: SharedVectors = {
  fetch: () => Promise.resolve(new Map()),
  store: () => Promise.resolve(),
};
