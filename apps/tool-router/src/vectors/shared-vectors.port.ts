import type { PackedVector } from './packed-vector.ts';

/**
 * Vectors shared between replicas, so that only one replica encodes a tool. No method of the store throws an
 * error. After an error, the vectors are treated as missing.
 */
export interface SharedVectors {
  /** The stored vectors, keyed by definition hash. */
  fetch(modelId: string, dimensions: number, hashes: readonly string[]): Promise<Map<string, PackedVector>>;
  /**
   * Stores vectors within the quota of the account that sent the tool definitions. Vectors that exceed the
   * account's quota are not stored.
   */
  store(modelId: string, vectors: ReadonlyMap<string, PackedVector>, accountId: string): Promise<void>;
}

/**
 * The vector store of a deployment with only one router. The store is always empty, because there is no
 * other router with which to share vectors.
 */
export const noSharedVectors: SharedVectors = {
  fetch: () => Promise.resolve(new Map()),
  store: () => Promise.resolve(),
};
