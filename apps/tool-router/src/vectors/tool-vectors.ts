import { setTimeout as waitMs } from 'node:timers/promises';
import type { ToolDefinition } from '@gateway/contracts';
import type { LoopShare, Pieces } from '@gateway/messaging';
import type { EncoderText } from '../inference/inference-protocol.ts';
import { renderToolText } from '../encoder/tool-encoder-text.ts';
import type { Inference, Urgency } from '../inference/inference.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { packVector, type PackedVector } from './shared-vectors.port.ts';
import type { VectorMatrix, VectorStore } from './vector-store.ts';
import type { VectorMetrics } from '../metrics/router-metrics.ts';

/**
 * A plan waits for the vectors of at most this number of new tools in a list. A plan that waited for more vectors
 * would miss its deadline.
 */
export const awaitedToolsMax = 250;
/**
 * Maximum number of tool definitions that wait for a vector. If the queue is full, new tool definitions get
 * no vector, and their tool lists are ranked by keyword.
 */
const pendingMax = 20_000;
/**
 * Number of tool definitions that each account may still add after other accounts have filled the queue. The
 * reserve of each account exceeds the length of the longest possible tool list. With these additional
 * definitions, the queue may grow to twice its regular maximum size.
 */
const pendingReservedPerAccount = 5_000;
/** Maximum total length of texts waiting for a vector, in characters. */
const pendingCharactersMax = 64 * 1024 * 1024;
/**
 * Delay in milliseconds before the router encodes tool lists for which no plan is waiting. The delay lets the
 * router plan the request with the tool list first.
 */
const laterMs = 30;
/** Number of tool definitions to process between two pauses. */
const readAtOnce = 8;

export interface ToolVectorsOptions {
  readonly inference: Inference;
  readonly share: LoopShare;
  readonly store: VectorStore;
  readonly metrics: VectorMetrics;
}

/**
 * Provides the first encoder's vectors. The encoding of a tool starts as soon as its definition arrives. The router
 * looks up a vector in memory and then in the shared store. Missing vectors are computed.
 */
export class ToolVectors {
  readonly #options: ToolVectorsOptions;
  readonly #pendingOf = new Map<string, number>();
  #pendingCharacters = 0;

  constructor(options: ToolVectorsOptions) {
    this.#options = options;
  }

  /** Number of vectors in memory. */
  get size(): number {
    return this.#options.store.size;
  }

  /** Memory of the vectors and matrices, in bytes. */
  get bytes(): number {
    return this.#options.store.bytes;
  }

  /** Number of tool definitions waiting for a vector. */
  get pending(): number {
    return this.#options.store.pending;
  }

  /** Starts computing missing vectors and returns immediately. */
  prepare(definitions: readonly ToolDefinition[], accountId = ''): void {
    const { store, metrics } = this.#options;
    if (store.open() === undefined) return;
    const fresh = definitions.filter(({ hash }) => !store.isKnown(hash));
    const ofAccount = (this.#pendingOf.get(accountId) ?? 0) + fresh.length;
    // The tool list may be incomplete here, because the definitions of a long list arrive in several messages.
    const urgency: Urgency = ofAccount <= awaitedToolsMax ? 'awaited' : 'later';
    const waiting = store.pending + fresh.length;
    const hasReserve = ofAccount <= pendingReservedPerAccount && waiting <= 2 * pendingMax;
    if (waiting > pendingMax && !hasReserve) {
      metrics.countVectors('given_up', fresh.length);
      return;
    }
    for (let from = 0; from < fresh.length; from += awaitedToolsMax) {
      const some = fresh.slice(from, from + awaitedToolsMax);
      const hashes = some.map(({ hash }) => hash);
      this.#pendingOf.set(accountId, (this.#pendingOf.get(accountId) ?? 0) + some.length);
      const work = this.#vectorize(some, urgency, accountId).finally(() =>
        this.#release(accountId, some.length),
      );
      store.track(hashes, work);
    }
  }

  /**
   * Returns the vectors of the tool list, or the reason why they are not available. The reason `new_tools`
   * means that more than `awaitedToolsMax` tools have no vector yet, or that a vector cannot be obtained. The
   * reason `no_model` means that no encoder is available. Waits for pending vectors without a time limit, so
   * the caller must enforce the deadline.
   */
  async matrixOf(index: KeywordIndex): Promise<VectorMatrix | 'new_tools' | 'no_model'> {
    const { store } = this.#options;
    if (store.open() === undefined) return 'no_model';
    const kept = store.cachedMatrix(index);
    if (kept !== undefined) return kept;
    const missing = store.listMissing(index);
    store.recall(index.listHash, missing);
    if (missing.length > awaitedToolsMax) return 'new_tools';
    await store.settle(missing);
    return store.gather(index) ?? 'new_tools';
  }

  #release(accountId: string, count: number): void {
    const left = (this.#pendingOf.get(accountId) ?? 0) - count;
    if (left > 0) this.#pendingOf.set(accountId, left);
    else this.#pendingOf.delete(accountId);
  }

  /** Computes missing vectors. A vector for which no plan is waiting is computed after the current plan. */
  async #vectorize(
    definitions: readonly ToolDefinition[],
    urgency: Urgency,
    accountId: string,
  ): Promise<void> {
    const { share, store } = this.#options;
    const texts = new Map<string, EncoderText>();
    const reading = this.#readTexts(definitions, texts);
    try {
      if (urgency === 'later') {
        await waitMs(laterMs);
        await share.runInTurn(accountId, reading);
      } else await share.run(accountId, reading);
      await this.#make(await store.fetch([...texts.keys()]), texts, { urgency, accountId });
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

  async #make(
    hashes: readonly string[],
    texts: ReadonlyMap<string, EncoderText>,
    { urgency, accountId }: { readonly urgency: Urgency; readonly accountId: string },
  ): Promise<void> {
    const { inference, store } = this.#options;
    const made = new Map<string, PackedVector>();
    let from = 0;
    while (from < hashes.length) {
      const some = hashes.slice(from, from + inference.textsPerTask);
      from += some.length;
      const encoded = await inference.run(
        { kind: 'encode', texts: some.map((hash) => texts.get(hash) ?? []) },
        { urgency, accountId },
      );
      const blocks = store.open();
      const size = encoded.length / some.length;
      if (blocks?.dimensions !== size) return;
      some.forEach((hash, at) => {
        const packed = packVector(encoded.subarray(at * size, (at + 1) * size));
        blocks.set(hash, packed);
        made.set(hash, packed);
      });
    }
    store.share(made, accountId);
  }
}

function lengthOf(text: EncoderText): number {
  return text.reduce((sum, part) => sum + part.text.length, 0);
}
