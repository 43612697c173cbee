import type { PackedVector } from './vector-blocks.ts';

/**
 * Vectors shared between replicas, so that only one replica encodes a tool. Never fails: errors count as
 * missing vectors.
 */
export interface SharedVectors {
  /** The stored vectors, keyed by definition hash. */
  fetch(modelId: string, dimensions: number, hashes: readonly string[]): Promise<Map<string, PackedVector>>;
  store(modelId: string, vectors: ReadonlyMap<string, PackedVector>): Promise<void>;
}

/** Used when there is only one router. */
export const noSharedVectors: SharedVectors = {
  fetch: () => Promise.resolve(new Map()),
  store: () => Promise.resolve(),
};
