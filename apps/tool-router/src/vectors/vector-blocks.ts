import { LRUCache } from 'lru-cache';

/** Vectors of a block. Blocks are made as they are needed, so an idle router holds none. */
const blockRows = 4096;
/** What one vector costs beside its numbers: the hash (64 characters), the cache's entry, the scale. Measured with 100,000. */
const rowOverheadBytes = 220;

/**
 * Vectors by definition hash, the least used given up first. Numbers are kept as int8 with a scale a vector (the largest
 * one is 127 steps), which moves a cosine by less than 0.005: a quarter of the memory, and the same for every replica
 * whether it made a vector itself or was told.
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

  /** A vector that is kept already stays as it is. */
  set(hash: string, packed: PackedVector): void {
    if (this.#rows.get(hash) !== undefined) return;
    if (packed.steps.length !== this.dimensions) throw new Error('a vector of another length');
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

  /** Writes a vector's numbers into `target` from `offset` on; false when it is not kept. */
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

/** A vector as it is kept and shared: number = step × scale. */
export interface PackedVector {
  readonly steps: Int8Array;
  readonly scale: number;
}

export function packVector(vector: Float32Array): PackedVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  // The scale is kept in 32 bits: rounded at once, so that a kept vector and a fresh one are the same numbers.
  const scale = Math.fround(largest / 127);
  const steps = new Int8Array(vector.length);
  if (scale > 0) vector.forEach((value, at) => (steps[at] = Math.round(value / scale)));
  return { steps, scale };
}

/** Four bytes of scale (little endian), then a byte a number. */
export function renderPackedVector({ steps, scale }: PackedVector): Buffer {
  const bytes = Buffer.allocUnsafe(4 + steps.length);
  bytes.writeFloatLE(scale, 0);
  bytes.set(new Uint8Array(steps.buffer, steps.byteOffset, steps.length), 4);
  return bytes;
}

/** Undefined for bytes that are no vector of this length. */
export function parsePackedVector(bytes: Buffer, dimensions: number): PackedVector | undefined {
  if (bytes.length !== 4 + dimensions) return undefined;
  const scale = bytes.readFloatLE(0);
  if (!(scale >= 0 && Number.isFinite(scale))) return undefined;
  return { steps: new Int8Array(Uint8Array.from(bytes.subarray(4)).buffer), scale };
}
