import { LRUCache } from 'lru-cache';
import type { EncoderFacts } from '../inference/inference-protocol.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { VectorMetrics } from '../metrics/router-metrics.ts';
import type { PackedVector } from './shared-vectors.port.ts';
import type { SharedVectors } from './shared-vectors.port.ts';
import { VectorBlocks } from './vector-blocks.ts';

/** Minimum time in milliseconds between two requests to the edge for the definitions of a tool list. */
const forgottenMs = 10 * 60_000;

/** Vectors of the tools in a list, by position. */
export interface VectorMatrix {
  readonly dimensions: number;
  /** The numbers of the vectors in row-major order, with one row per tool. */
  readonly numbers: Float32Array;
}

export interface VectorStoreOptions {
  readonly shared: SharedVectors;
  readonly metrics: VectorMetrics;
  readonly vectorsBytesMax: number;
  readonly matricesBytesMax: number;
  /**
   * Callback that receives the hashes of tools without stored vectors, and requests their definitions again. Calls of
   * the callback for the same tool list are rate-limited.
   */
  readonly onForgotten: (listHash: string, hashes: readonly string[]) => void;
}

/**
 * Stores one encoder's vectors in memory and in the shared store. Vectors are keyed by definition hash, and matrices
 * of vectors by tool list hash. The store also tracks for which tools vectors are being loaded or computed. If a
 * different model replaces the encoder, the stored vectors are dropped.
 */
export class VectorStore {
  readonly #options: VectorStoreOptions;
  readonly #encoder: () => EncoderFacts | undefined;
  readonly #matrices: LRUCache<string, VectorMatrix>;
  /**
   * Tool lists with recently requested definitions. The cache prevents the router from requesting the same
   * definitions repeatedly if a vector cannot be computed.
   */
  readonly #forgotten = new LRUCache<string, true>({ max: 10_000, ttl: forgottenMs });
  /** The pending tools, each with a promise that settles when its vector is loaded or computed. */
  readonly #pending = new Map<string, Promise<void>>();
  #blocks: VectorBlocks | undefined;
  /** Id of the model that computed the vectors in memory. */
  #modelId: string | undefined;

  /** @param encoder returns the encoder that computes the vectors, or undefined while it is not available. */
  constructor(encoder: () => EncoderFacts | undefined, options: VectorStoreOptions) {
    this.#encoder = encoder;
    this.#options = options;
    this.#matrices = new LRUCache({
      maxSize: options.matricesBytesMax,
      sizeCalculation: ({ numbers }) => numbers.byteLength + 256,
    });
  }

  get size(): number {
    return this.#blocks?.size ?? 0;
  }

  get bytes(): number {
    return (this.#blocks?.bytes ?? 0) + this.#matrices.calculatedSize;
  }

  /** Number of pending tools. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Returns the vectors in memory, or undefined while no encoder is available. */
  open(): VectorBlocks | undefined {
    const encoder = this.#encoder();
    if (encoder === undefined) return undefined;
    if (this.#blocks === undefined || this.#modelId !== encoder.id) {
      this.#modelId = encoder.id;
      this.#blocks = new VectorBlocks(encoder.dimensions, this.#options.vectorsBytesMax);
      this.#matrices.clear();
    }
    return this.#blocks;
  }

  /** Returns the list's matrix if it is cached. */
  cachedMatrix(index: KeywordIndex): VectorMatrix | undefined {
    const kept = this.open() === undefined ? undefined : this.#matrices.get(index.listHash);
    this.#options.metrics.countMatrix(kept === undefined ? 'miss' : 'hit');
    return kept;
  }

  /** Assembles the list's matrix. Returns undefined if a tool of the list has no vector in memory. */
  gather(index: KeywordIndex): VectorMatrix | undefined {
    const blocks = this.open();
    if (blocks === undefined) return undefined;
    const { dimensions } = blocks;
    const numbers = new Float32Array(index.hashes.length * dimensions);
    const isWhole = index.hashes.every((hash, position) => blocks.read(hash, numbers, position * dimensions));
    if (!isWhole) return undefined;
    const matrix = { dimensions, numbers };
    this.#matrices.set(index.listHash, matrix);
    return matrix;
  }

  /** Returns the tools without a vector in memory. */
  listMissing({ hashes }: KeywordIndex): string[] {
    const missing = hashes.filter((hash) => this.#blocks?.has(hash) !== true);
    this.#options.metrics.countVectors('memory', hashes.length - missing.length);
    return missing;
  }

  /** Returns whether the tool's vector is in memory, or is being loaded or computed. */
  isKnown(hash: string): boolean {
    return this.#blocks?.has(hash) === true || this.#pending.has(hash);
  }

  /**
   * Marks tools as pending until `work` finishes. Never throws an error. If `work` fails, the vectors stay
   * missing.
   */
  track(hashes: readonly string[], work: Promise<void>): void {
    const done = work
      .catch(() => this.#options.metrics.countVectors('given_up', hashes.length))
      .finally(() => {
        for (const hash of hashes) this.#pending.delete(hash);
      });
    for (const hash of hashes) this.#pending.set(hash, done);
  }

  /** Waits until no vector of the given tools is being loaded or computed. */
  async settle(hashes: readonly string[]): Promise<void> {
    await Promise.all(hashes.flatMap((hash) => this.#pending.get(hash) ?? []));
  }

  /** Loads vectors from the shared store. Returns the hashes of the vectors that were not found. */
  async fetch(hashes: readonly string[]): Promise<string[]> {
    const blocks = this.open();
    const modelId = this.#modelId;
    if (blocks === undefined || modelId === undefined) return [];
    const found = await this.#options.shared.fetch(modelId, blocks.dimensions, hashes);
    for (const [hash, packed] of found) blocks.set(hash, packed);
    this.#options.metrics.countVectors('shared', found.size);
    return hashes.filter((hash) => !found.has(hash));
  }

  /**
   * Loads vectors that are no longer in memory from the shared store, except for pending tools. If the shared
   * store lacks a vector, the definition of the tool is requested again.
   */
  recall(listHash: string, missing: readonly string[]): void {
    const unknown = missing.filter((hash) => !this.#pending.has(hash));
    if (unknown.length > 0) this.track(unknown, this.#recall(listHash, unknown));
  }

  /** Requests for the definitions of the same tool list are rate-limited. */
  async #recall(listHash: string, unknown: readonly string[]): Promise<void> {
    const lost = await this.fetch(unknown);
    this.#options.metrics.countVectors('forgotten', lost.length);
    if (lost.length === 0 || this.#forgotten.has(listHash)) return;
    this.#forgotten.set(listHash, true);
    this.#options.onForgotten(listHash, lost);
  }

  /** Writes new vectors to the shared store, which counts them against the quota of the account that sent the tools. */
  share(made: ReadonlyMap<string, PackedVector>, accountId: string): void {
    this.#options.metrics.countVectors('made', made.size);
    if (this.#modelId !== undefined) void this.#options.shared.store(this.#modelId, made, accountId);
  }
}
