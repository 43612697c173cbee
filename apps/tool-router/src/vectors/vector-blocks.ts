import { LRUCache } from 'lru-cache';
import type { PackedVector } from './shared-vectors.port.ts';

/** Number of vectors per block. Blocks are allocated on demand, so an idle router has none. */
const blockRows = 4096;
/**
 * Number of additional bytes per vector for the hash (64 characters), the cache entry and the scale, measured with
 * 100,000 vectors.
 */
const rowOverheadBytes = 220;

/**
 * Stores vectors by definition hash and evicts the least recently used vectors. Each vector is stored as int8
 * numbers with one scale. The scale is chosen so that the vector's largest number becomes 127. Rounding to
 * int8 changes a cosine by less than 0.005. A stored vector takes a quarter of the memory of 32-bit numbers.
 * Computed and loaded vectors are identical on every replica.
 */
export class VectorBlocks {
  readonly dimensions: number;
  readonly #rows: LRUCache<string, number>;
  readonly #blocks: Int8Array[] = [];
  readonly #scales: Float32Array[] = [];
  readonly #free: number[] = [];
  #used = 0;

  constructor(dimensions: number, bytesMax: number) {
    this.dimensions = dimensions;
    this.#rows = new LRUCache({
      max: Math.max(1, Math.floor(bytesMax / (dimensions + rowOverheadBytes))),
      dispose: (row) => this.#free.push(row),
    });
  }

  get size(): number {
    return this.#rows.size;
  }

  get bytes(): number {
    return this.#blocks.length * blockRows * (this.dimensions + 4) + this.#rows.size * (rowOverheadBytes - 4);
  }

  has(hash: string): boolean {
    return this.#rows.has(hash);
  }

  /** Stores a vector unless one is already stored under the hash. */
  set(hash: string, packed: PackedVector): void {
    if (this.#rows.get(hash) !== undefined) return;
    if (packed.steps.length !== this.dimensions)
      throw new Error('the vector has the wrong number of dimensions');
    if (this.#rows.size >= this.#rows.max) this.#rows.pop();
    const row = this.#free.pop() ?? this.#used++;
    const block = Math.floor(row / blockRows);
    const at = row % blockRows;
    const steps = (this.#blocks[block] ??= new Int8Array(blockRows * this.dimensions));
    const scales = (this.#scales[block] ??= new Float32Array(blockRows));
    steps.set(packed.steps, at * this.dimensions);
    scales[at] = packed.scale;
    this.#rows.set(hash, row);
  }

  /** Writes a vector into `target` at `offset`. Returns false if the vector is not stored. */
  read(hash: string, target: Float32Array, offset: number): boolean {
    const row = this.#rows.get(hash);
    if (row === undefined) return false;
    const block = Math.floor(row / blockRows);
    const start = (row % blockRows) * this.dimensions;
    const steps = this.#blocks[block];
    const scale = this.#scales[block]?.[row % blockRows] ?? 0;
    if (steps === undefined) return false;
    for (let at = 0; at < this.dimensions; at += 1) target[offset + at] = (steps[start + at] ?? 0) * scale;
    return true;
  }
}
