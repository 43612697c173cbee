import { setImmediate as letOthersIn, setTimeout as waitMs } from 'node:timers/promises';
import type { ToolDefinition } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';
import type { EncoderText } from '../inference/inference-protocol.ts';
import { renderToolText } from '../encoder/tool-encoder-text.ts';
import type { Inference, Urgency } from '../inference/inference.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { SharedVectors } from './shared-vectors.port.ts';
import { packVector, VectorBlocks, type PackedVector } from './vector-blocks.ts';
import type { VectorMetrics } from '../metrics/router-metrics.ts';

/** Tools of a list without a vector, up to which a plan waits for theirs: more would not come within its deadline. */
export const awaitedToolsMax = 250;
/** Definitions that wait for a vector. Past it new ones go without: their lists are ranked by keyword. */
const pendingMax = 20_000;
/** Characters of theirs. */
const pendingCharactersMax = 64 * 1024 * 1024;
/** How long a list's definitions are not asked for again. */
const forgottenMs = 10 * 60_000;
/** After the plan of the list that brought them. */
const laterMs = 30;
/** Definitions of those that are read in one go. */
const readAtOnce = 32;

/** The vectors of a list's tools, by position; a tool without one has a row of zeros. */
export interface VectorMatrix {
  readonly dimensions: number;
  /** Row-major: a row a tool. */
  readonly numbers: Float32Array;
}

export interface ToolVectorsOptions {
  readonly inference: Inference;
  readonly shared: SharedVectors;
  readonly metrics: VectorMetrics;
  readonly vectorsBytesMax: number;
  readonly matricesBytesMax: number;
  /** Told of a list's tools whose vector nobody has, so that their definitions are asked for again. At most once a list in a while. */
  readonly onForgotten: (listHash: string, hashes: readonly string[]) => void;
}

/**
 * Vectors of tools by definition hash, and matrices of them by list hash. A definition's vector begins to be made when
 * the definition arrives; it is looked for in memory, then where replicas share theirs, then made.
 */
export class ToolVectors {
  readonly #options: ToolVectorsOptions;
  readonly #matrices: LRUCache<string, VectorMatrix>;
  readonly #pending = new Map<string, Promise<void>>();
  /** Lists whose definitions were asked for again lately: where no vector can be made, once must do. */
  readonly #forgotten = new LRUCache<string, true>({ max: 10_000, ttl: forgottenMs });
  #pendingCharacters = 0;
  #blocks: VectorBlocks | undefined;
  /** Model that the vectors in memory are of. */
  #modelId: string | undefined;

  constructor(options: ToolVectorsOptions) {
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

  /** Definitions whose vector is being made. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Begins to make the vectors of definitions that have none; returns at once. */
  prepare(definitions: readonly ToolDefinition[]): void {
    const blocks = this.#open();
    if (blocks === undefined) return;
    const fresh = definitions.filter(({ hash }) => !blocks.has(hash) && !this.#pending.has(hash));
    const urgency: Urgency = fresh.length <= awaitedToolsMax ? 'awaited' : 'later';
    if (this.#pending.size + fresh.length > pendingMax) {
      this.#options.metrics.countVectors('given_up', fresh.length);
      return;
    }
    for (let from = 0; from < fresh.length; from += awaitedToolsMax) {
      const some = fresh.slice(from, from + awaitedToolsMax);
      this.#track(
        some.map(({ hash }) => hash),
        this.#vectorize(some, urgency),
      );
    }
  }

  /**
   * The list's matrix. `new_tools` when more than `awaitedToolsMax` of its tools have no vector yet, or one has none
   * that anybody could tell; `no_model` without an encoder. Waits for what is being made; the caller holds the deadline.
   */
  async matrixOf(index: KeywordIndex): Promise<VectorMatrix | 'new_tools' | 'no_model'> {
    const blocks = this.#open();
    if (blocks === undefined) return 'no_model';
    const kept = this.#matrices.get(index.listHash);
    this.#options.metrics.countMatrix(kept === undefined ? 'miss' : 'hit');
    if (kept !== undefined) return kept;
    const missing = index.hashes.filter((hash) => !blocks.has(hash));
    this.#options.metrics.countVectors('memory', index.hashes.length - missing.length);
    if (missing.length > awaitedToolsMax) {
      this.#recall(index.listHash, missing);
      return 'new_tools';
    }
    if (missing.length > 0) {
      this.#recall(index.listHash, missing);
      await Promise.all(missing.flatMap((hash) => this.#pending.get(hash) ?? []));
    }
    return this.#gather(index, blocks) ?? 'new_tools';
  }

  #open(): VectorBlocks | undefined {
    const { encoder } = this.#options.inference;
    if (encoder === undefined) return undefined;
    if (this.#blocks === undefined || this.#modelId !== encoder.id) {
      this.#modelId = encoder.id;
      this.#blocks = new VectorBlocks(encoder.dimensions, this.#options.vectorsBytesMax);
      this.#matrices.clear();
    }
    return this.#blocks;
  }

  #gather(index: KeywordIndex, blocks: VectorBlocks): VectorMatrix | undefined {
    const { dimensions } = blocks;
    const numbers = new Float32Array(index.hashes.length * dimensions);
    const isWhole = index.hashes.every((hash, position) => blocks.read(hash, numbers, position * dimensions));
    if (!isWhole) return undefined;
    const matrix = { dimensions, numbers };
    this.#matrices.set(index.listHash, matrix);
    return matrix;
  }

  /** Asks the replicas for vectors that memory gave up; what they don't know either is forgotten. */
  #recall(listHash: string, missing: readonly string[]): void {
    const unknown = missing.filter((hash) => !this.#pending.has(hash));
    if (unknown.length === 0) return;
    this.#track(unknown, this.#ask(listHash, unknown));
  }

  async #ask(listHash: string, unknown: readonly string[]): Promise<void> {
    const lost = await this.#fetch(unknown);
    this.#options.metrics.countVectors('forgotten', lost.length);
    if (lost.length === 0 || this.#forgotten.has(listHash)) return;
    this.#forgotten.set(listHash, true);
    this.#options.onForgotten(listHash, lost);
  }

  /** Makes the vectors of definitions that have none. Those that no plan waits for come after the plan that brought them. */
  async #vectorize(definitions: readonly ToolDefinition[], urgency: Urgency): Promise<void> {
    if (urgency === 'later') await waitMs(laterMs);
    const texts = new Map<string, EncoderText>();
    let characters = 0;
    try {
      for (const [at, definition] of definitions.entries()) {
        if (urgency === 'later' && at % readAtOnce === 0) await letOthersIn();
        const text = renderToolText(definition);
        const added = text.reduce((sum, part) => sum + part.text.length, 0);
        characters += added;
        this.#pendingCharacters += added;
        if (this.#pendingCharacters > pendingCharactersMax) throw new Error('too much waits for vectors');
        texts.set(definition.hash, text);
      }
      await this.#make(await this.#fetch([...texts.keys()]), texts, urgency);
    } finally {
      this.#pendingCharacters -= characters;
    }
  }

  /** Notes tools as pending until `work` is done. It never fails: what it could not do is not there. */
  #track(hashes: readonly string[], work: Promise<void>): void {
    const done = work
      .catch(() => this.#options.metrics.countVectors('given_up', hashes.length))
      .finally(() => {
        for (const hash of hashes) this.#pending.delete(hash);
      });
    for (const hash of hashes) this.#pending.set(hash, done);
  }

  /** Takes what the replicas share; answers those that they don't have. */
  async #fetch(hashes: readonly string[]): Promise<string[]> {
    const blocks = this.#open();
    const modelId = this.#modelId;
    if (blocks === undefined || modelId === undefined) return [];
    const found = await this.#options.shared.fetch(modelId, blocks.dimensions, hashes);
    for (const [hash, packed] of found) blocks.set(hash, packed);
    this.#options.metrics.countVectors('shared', found.size);
    return hashes.filter((hash) => !found.has(hash));
  }

  async #make(
    hashes: readonly string[],
    texts: ReadonlyMap<string, EncoderText>,
    urgency: Urgency,
  ): Promise<void> {
    const { inference, shared, metrics } = this.#options;
    const made = new Map<string, PackedVector>();
    let from = 0;
    while (from < hashes.length) {
      const some = hashes.slice(from, from + inference.textsPerTask);
      from += some.length;
      const encoded = await inference.run(
        { kind: 'encode', texts: some.map((hash) => texts.get(hash) ?? []) },
        { urgency },
      );
      const blocks = this.#open();
      const size = encoded.length / some.length;
      if (blocks?.dimensions !== size) return;
      some.forEach((hash, at) => {
        const packed = packVector(encoded.subarray(at * size, (at + 1) * size));
        blocks.set(hash, packed);
        made.set(hash, packed);
      });
    }
    metrics.countVectors('made', made.size);
    if (this.#modelId !== undefined) void shared.store(this.#modelId, made);
  }
}
