import { setTimeout as waitMs } from 'node:timers/promises';
import type { ToolDefinition } from '@gateway/contracts';
import type { LoopShare, Pieces } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { EncoderText } from '../inference/inference-protocol.ts';
import { renderToolText } from '../encoder/tool-encoder-text.ts';
import type { Inference, Urgency } from '../inference/inference.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { SharedVectors } from './shared-vectors.port.ts';
import { packVector, type PackedVector } from './packed-vector.ts';
import { VectorBlocks } from './vector-blocks.ts';
import type { VectorMetrics } from '../metrics/router-metrics.ts';

/**
 * Maximum number of new tools in a list for which a plan waits. A plan would miss its deadline if it waited for
 * more vectors.
 */
export const awaitedToolsMax = 250;
/**
 * Maximum number of tool definitions waiting for a vector. Above this number, new tool definitions get no
 * vector, and their tool lists are ranked by keyword.
 */
const pendingMax = 20_000;
/**
 * Number of tool definitions that each account may still add when other accounts have filled the queue. This
 * number is larger than the number of tools in the largest tool list. With these definitions, the queue may
 * grow to twice its regular maximum size.
 */
const pendingReservedPerAccount = 5_000;
/** Maximum total length of texts waiting for a vector, in characters. */
const pendingCharactersMax = 64 * 1024 * 1024;
/** Minimum time in milliseconds between two requests for the definitions of a tool list. */
const forgottenMs = 10 * 60_000;
/**
 * Delay in milliseconds before the router encodes tool lists for which no plan is waiting. During this delay,
 * the router can first plan the request that contained the tool list.
 */
const laterMs = 30;
/** Number of tool definitions to process between two pauses. */
const readAtOnce = 8;

/** Vectors for the tools in a list, by position. A tool without a vector has a row of zeros. */
export interface VectorMatrix {
  readonly dimensions: number;
  /** Vector numbers in row-major order, one row per tool. */
  readonly numbers: Float32Array;
}

export interface ToolVectorsOptions {
  readonly inference: Inference;
  readonly share: LoopShare;
  readonly shared: SharedVectors;
  readonly metrics: VectorMetrics;
  readonly vectorsBytesMax: number;
  readonly matricesBytesMax: number;
  /**
   * A callback with the tools of a list that have no stored vector, so that their definitions are requested
   * again. For the same tool list, calls of the callback are rate-limited.
   */
  readonly onForgotten: (listHash: string, hashes: readonly string[]) => void;
}

/**
 * Stores vectors by definition hash and matrices by list hash. The encoding of a tool starts when its
 * definition arrives. The router looks up a vector in memory and then in the shared store. If both lack the
 * vector, the router computes it.
 */
export class ToolVectors {
  readonly #options: ToolVectorsOptions;
  readonly #matrices: LRUCache<string, VectorMatrix>;
  readonly #pending = new Map<string, Promise<void>>();
  /**
   * Tool lists for which definitions were requested recently. Without this cache, the router would request
   * definitions repeatedly if a vector cannot be computed.
   */
  readonly #forgotten = new LRUCache<string, true>({ max: 10_000, ttl: forgottenMs });
  readonly #pendingOf = new Map<string, number>();
  #pendingCharacters = 0;
  #blocks: VectorBlocks | undefined;
  /** Id of the model that computed the vectors in memory. */
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

  /** Number of tool definitions waiting for a vector. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Starts computing missing vectors and returns immediately. */
  prepare(definitions: readonly ToolDefinition[], accountId = ''): void {
    const blocks = this.#open();
    if (blocks === undefined) return;
    const fresh = definitions.filter(({ hash }) => !blocks.has(hash) && !this.#pending.has(hash));
    const ofAccount = (this.#pendingOf.get(accountId) ?? 0) + fresh.length;
    // The tool list may be incomplete here, because the definitions of a long list arrive in several messages.
    const urgency: Urgency = ofAccount <= awaitedToolsMax ? 'awaited' : 'later';
    const waiting = this.#pending.size + fresh.length;
    const hasReserve = ofAccount <= pendingReservedPerAccount && waiting <= 2 * pendingMax;
    if (waiting > pendingMax && !hasReserve) {
      this.#options.metrics.countVectors('given_up', fresh.length);
      return;
    }
    for (let from = 0; from < fresh.length; from += awaitedToolsMax) {
      const some = fresh.slice(from, from + awaitedToolsMax);
      const hashes = some.map(({ hash }) => hash);
      this.#pendingOf.set(accountId, (this.#pendingOf.get(accountId) ?? 0) + some.length);
      const work = this.#vectorize(some, urgency, accountId).finally(() =>
        this.#release(accountId, some.length),
      );
      this.#track(hashes, work);
    }
  }

  /**
   * Returns the vectors of the tool list, or the reason why they are not available. The reason `new_tools`
   * means that more than `awaitedToolsMax` tools have no vector yet, or that a vector cannot be obtained. The
   * reason `no_model` means that no encoder is available. The method waits for pending vectors, and the caller
   * enforces the deadline.
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

  #release(accountId: string, count: number): void {
    const left = (this.#pendingOf.get(accountId) ?? 0) - count;
    if (left > 0) this.#pendingOf.set(accountId, left);
    else this.#pendingOf.delete(accountId);
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

  /**
   * Loads vectors that are no longer in memory from the shared store. If the shared store lacks a vector, the
   * definition of its tool is requested again.
   */
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

  /** Computes missing vectors. A vector that no plan is waiting for is computed after the current plan. */
  async #vectorize(
    definitions: readonly ToolDefinition[],
    urgency: Urgency,
    accountId: string,
  ): Promise<void> {
    const { share } = this.#options;
    const texts = new Map<string, EncoderText>();
    const reading = this.#readTexts(definitions, texts);
    try {
      if (urgency === 'later') {
        await waitMs(laterMs);
        await share.runInTurn(accountId, reading);
      } else await share.run(accountId, reading);
      await this.#make(await this.#fetch([...texts.keys()]), texts, { urgency, accountId });
    } finally {
      for (const text of texts.values()) this.#pendingCharacters -= lengthOf(text);
    }
  }

  *#readTexts(definitions: readonly ToolDefinition[], texts: Map<string, EncoderText>): Pieces<void> {
    for (const [at, definition] of definitions.entries()) {
      if (at % readAtOnce === readAtOnce - 1) yield;
      const text = renderToolText(definition);
      const characters = lengthOf(text);
      if (this.#pendingCharacters + characters > pendingCharactersMax)
        throw new Error('the texts that wait for vectors exceed the limit');
      // Duplicates are removed, because a tool list can contain a definition twice.
      if (texts.has(definition.hash)) continue;
      this.#pendingCharacters += characters;
      texts.set(definition.hash, text);
    }
  }

  /**
   * Marks tools as pending until `work` finishes. The method never throws an error. The vector stays missing if
   * encoding fails.
   */
  #track(hashes: readonly string[], work: Promise<void>): void {
    const done = work
      .catch(() => this.#options.metrics.countVectors('given_up', hashes.length))
      .finally(() => {
        for (const hash of hashes) this.#pending.delete(hash);
      });
    for (const hash of hashes) this.#pending.set(hash, done);
  }

  /** Loads vectors from the shared store. Returns the hashes of the vectors that were not found. */
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
    { urgency, accountId }: { readonly urgency: Urgency; readonly accountId: string },
  ): Promise<void> {
    const { inference, shared, metrics } = this.#options;
    const made = new Map<string, PackedVector>();
    let from = 0;
    while (from < hashes.length) {
      const some = hashes.slice(from, from + inference.textsPerTask);
      from += some.length;
      const encoded = await inference.run(
        { kind: 'encode', texts: some.map((hash) => texts.get(hash) ?? []) },
        { urgency, accountId },
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
    if (this.#modelId !== undefined) void shared.store(this.#modelId, made, accountId);
  }
}

function lengthOf(text: EncoderText): number {
  return text.reduce((sum, part) => sum + part.text.length, 0);
}
