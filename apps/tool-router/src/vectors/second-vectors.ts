import type { ToolDefinition } from '@gateway/contracts';
import type { EncoderText } from '../inference/inference-protocol.ts';
import type { Inference } from '../inference/inference.port.ts';
import { renderToolSentence } from '../encoder/tool-encoder-text.ts';
import type { VectorMetrics } from '../metrics/router-metrics.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { packVector, type PackedVector } from './shared-vectors.port.ts';
import type { VectorMatrix, VectorStore } from './vector-store.ts';

/** Maximum number of tool definitions that are prepared at the same time. */
const preparedMax = 20_000;
/** Maximum number of prepared tool definitions per account. The limit is at least the length of the largest tool list. */
const preparedPerAccountMax = 5_000;
/** Number of new vectors after which the vectors are written into the shared store. */
const sharedAtOnce = 32;

export interface SecondVectorsOptions {
  readonly inference: Inference;
  readonly store: VectorStore;
  readonly metrics: VectorMetrics;
}

/**
 * Provides the second encoder's vectors. The second encoder takes milliseconds per tool, so no plan waits for
 * it. The vectors of new tools are computed in the background, and a plan waits only for vectors in the shared
 * store. Until all tools of a list have a vector, new conversations with the list use only the first encoder.
 */
export class SecondVectors {
  readonly #options: SecondVectorsOptions;
  /** Tools that wait for the second encoder. The vector store tracks tools that wait for the shared store. */
  readonly #waiting = new Set<string>();
  /** The number of tool definitions that are prepared, by account and in total. */
  readonly #preparedOf = new Map<string, number>();
  #prepared = 0;

  constructor(options: SecondVectorsOptions) {
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
    return this.#waiting.size;
  }

  /** Starts loading or computing missing vectors, and returns immediately. */
  prepare(definitions: readonly ToolDefinition[], accountId = ''): void {
    const { store, metrics } = this.#options;
    if (store.open() === undefined) return;
    const fresh = definitions.filter(({ hash }) => !store.isKnown(hash) && !this.#waiting.has(hash));
    if (fresh.length === 0) return;
    const ofAccount = (this.#preparedOf.get(accountId) ?? 0) + fresh.length;
    if (ofAccount > preparedPerAccountMax || this.#prepared + fresh.length > preparedMax) {
      metrics.countVectors('given_up', fresh.length);
      return;
    }
    const texts = new Map(fresh.map((definition) => [definition.hash, renderToolSentence(definition)]));
    const hashes = [...texts.keys()];
    this.#count(accountId, hashes.length);
    const loaded = store.fetch(hashes).then((lost) => {
      void this.#make(lost, texts, accountId).finally(() => this.#count(accountId, -hashes.length));
    });
    store.track(hashes, loaded);
  }

  /**
   * Returns the tool list's matrix, or undefined if a tool of the list has no vector yet. Waits for the
   * shared store, but not for the second encoder.
   */
  async matrixOf(index: KeywordIndex): Promise<VectorMatrix | undefined> {
    const { store } = this.#options;
    if (store.open() === undefined) return undefined;
    const kept = store.cachedMatrix(index);
    if (kept !== undefined) return kept;
    const missing = store.listMissing(index);
    if (missing.some((hash) => this.#waiting.has(hash))) return undefined;
    store.recall(index.listHash, missing);
    await store.settle(missing);
    return store.gather(index);
  }

  /** Computes missing vectors, one inference task per tool, so that urgent tasks wait for at most one tool. */
  async #make(
    hashes: readonly string[],
    texts: ReadonlyMap<string, EncoderText>,
    accountId: string,
  ): Promise<void> {
    for (const hash of hashes) this.#waiting.add(hash);
    const { store, metrics } = this.#options;
    let made = new Map<string, PackedVector>();
    let left = hashes.length;
    for (const hash of hashes) {
      const packed = await this.#encode(texts.get(hash) ?? [], accountId);
      if (packed === undefined) break;
      store.open()?.set(hash, packed);
      this.#waiting.delete(hash);
      made.set(hash, packed);
      left -= 1;
      if (made.size < sharedAtOnce) continue;
      store.share(made, accountId);
      made = new Map();
    }
    store.share(made, accountId);
    metrics.countVectors('given_up', left);
    for (const hash of hashes) this.#waiting.delete(hash);
  }

  /** Returns undefined if the second encoder failed, or if its vectors no longer fit into the store. */
  async #encode(text: EncoderText, accountId: string): Promise<PackedVector | undefined> {
    const { inference, store } = this.#options;
    const vector = await inference
      .run({ kind: 'encode', encoder: 'second', texts: [text] }, { urgency: 'background', accountId })
      .catch(() => undefined);
    return vector === undefined || store.open()?.dimensions !== vector.length
      ? undefined
      : packVector(vector);
  }

  #count(accountId: string, change: number): void {
    this.#prepared += change;
    const count = (this.#preparedOf.get(accountId) ?? 0) + change;
    if (count > 0) this.#preparedOf.set(accountId, count);
    else this.#preparedOf.delete(accountId);
  }
}
