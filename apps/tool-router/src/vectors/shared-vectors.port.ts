/** A vector in the stored and shared form. Each number of the vector is an integer multiplied by the scale. */
export interface PackedVector {
  readonly steps: Int8Array;
  readonly scale: number;
}

export function packVector(vector: Float32Array): PackedVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  // The scale is rounded to 32 bits immediately, so that stored and new vectors contain the same numbers.
  const scale = Math.fround(largest / 127);
  const steps = new Int8Array(vector.length);
  if (scale > 0) {
    for (let at = 0; at < vector.length; at += 1) steps[at] = Math.round((vector[at] ?? 0) / scale);
  }
  return { steps, scale };
}

/** Serializes a vector as the scale in four bytes (little endian), followed by one byte per number. */
export function renderPackedVector({ steps, scale }: PackedVector): Buffer {
  const bytes = Buffer.allocUnsafe(4 + steps.length);
  bytes.writeFloatLE(scale, 0);
  bytes.set(new Uint8Array(steps.buffer, steps.byteOffset, steps.length), 4);
  return bytes;
}

/** Parses a stored vector. Returns undefined if the bytes are not a vector of the given length. */
export function parsePackedVector(bytes: Buffer, dimensions: number): PackedVector | undefined {
  if (bytes.length !== 4 + dimensions) return undefined;
  const scale = bytes.readFloatLE(0);
  if (!(scale >= 0 && Number.isFinite(scale))) return undefined;
  return { steps: new Int8Array(Uint8Array.from(bytes.subarray(4)).buffer), scale };
}

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
