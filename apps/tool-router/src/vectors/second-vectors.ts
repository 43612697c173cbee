import type { ToolDefinition } from '@gateway/contracts';
import type { EncoderText } from '../inference/inference-protocol.ts';
import type { Inference } from '../inference/inference.port.ts';
import { renderToolSentence } from '../encoder/tool-encoder-text.ts';
import type { VectorMetrics } from '../metrics/router-metrics.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { packVector, type PackedVector } from './packed-vector.ts';
import type { VectorMatrix, VectorStore } from './vector-store.ts';

/** Maximum number of tool definitions waiting for a vector of the second encoder. */
const waitingMax = 20_000;
/** Maximum number of waiting tool definitions of one account, which is enough for the largest tool list. */
const waitingPerAccountMax = 5_000;
/** Number of new vectors after which the vectors are written into the shared store. */
const sharedAtOnce = 32;

export interface SecondVectorsOptions {
  readonly inference: Inference;
  readonly store: VectorStore;
  readonly metrics: VectorMetrics;
}

/**
 * Provides the second encoder's vectors. The second encoder takes milliseconds per tool, so no plan waits for it.
 * The vectors of new tools are computed in the background, and a plan waits only for the shared store. Until
 * all tools of a list have a vector, new conversations with the list use only the first encoder.
 */
export class SecondVectors {
  readonly #options: SecondVectorsOptions;
  /** Tools whose vectors are being loaded from the shared store. */
  readonly #loading = new Map<string, Promise<void>>();
  /** Tools that wait for the second encoder. */
  readonly #waiting = new Set<string>();
  readonly #waitingOf = new Map<string, number>();

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
    const blocks = store.open();
    if (blocks === undefined) return;
    const fresh = definitions.filter(
      ({ hash }) => !blocks.has(hash) && !this.#loading.has(hash) && !this.#waiting.has(hash),
    );
    const ofAccount = (this.#waitingOf.get(accountId) ?? 0) + fresh.length;
    if (fresh.length === 0) return;
    if (ofAccount > waitingPerAccountMax || this.#waiting.size + fresh.length > waitingMax) {
      metrics.countVectors('given_up', fresh.length);
      return;
    }
    const texts = new Map(fresh.map((definition) => [definition.hash, renderToolSentence(definition)]));
    this.#load([...texts.keys()], (lost) => {
      void this.#make(lost, texts, accountId);
    });
  }

  /**
   * Returns the tool list's matrix, or undefined if a tool of the list has no vector yet. The method waits
   * for the shared store, but not for the second encoder.
   */
  async matrixOf(index: KeywordIndex): Promise<VectorMatrix | undefined> {
    const { store } = this.#options;
    const kept = store.cachedMatrix(index);
    if (kept !== undefined) return kept;
    const blocks = store.open();
    if (blocks === undefined) return undefined;
    const missing = index.hashes.filter((hash) => !blocks.has(hash));
    if (missing.some((hash) => this.#waiting.has(hash))) return undefined;
    const unknown = missing.filter((hash) => !this.#loading.has(hash));
    if (unknown.length > 0) this.#load(unknown, (lost) => store.askAgain(index.listHash, lost));
    await Promise.all(missing.flatMap((hash) => this.#loading.get(hash) ?? []));
    return store.gather(index);
  }

  /** Loads vectors from the shared store, and calls `onLost` with the tools whose vectors were not found. */
  #load(hashes: readonly string[], onLost: (lost: readonly string[]) => void): void {
    const done = this.#options.store
      .fetch(hashes)
      .then(onLost)
      .finally(() => {
        for (const hash of hashes) this.#loading.delete(hash);
      });
    for (const hash of hashes) this.#loading.set(hash, done);
  }

  /** Computes missing vectors, one inference task per tool, so that each more urgent task waits for at most one. */
  async #make(
    hashes: readonly string[],
    texts: ReadonlyMap<string, EncoderText>,
    accountId: string,
  ): Promise<void> {
    this.#count(accountId, hashes.length);
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
    this.#count(accountId, -hashes.length);
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
    const count = (this.#waitingOf.get(accountId) ?? 0) + change;
    if (count > 0) this.#waitingOf.set(accountId, count);
    else this.#waitingOf.delete(accountId);
  }
}
