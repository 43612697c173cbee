import { splitTokens } from '../tool-index/tokens.ts';
import type { EncoderField, EncoderText } from '../inference/inference-protocol.ts';
import { encoderFields } from '../inference/inference-protocol.ts';

const charactersPerTextMax = 20_000;

/**
 * The model input has two rows of equal length, one of token ids and one of field ids. Token ids and field
 * ids start at 1. Id 0 is padding.
 */
interface TokenRow {
  readonly tokenIds: readonly number[];
  readonly fieldIds: readonly number[];
}

export interface VocabularyOptions {
  /**
   * Number of token ids for unknown words, in addition to the vocabulary ids. The hash of an unknown word
   * selects its id.
   */
  readonly buckets: number;
  /** Maximum number of distinct tokens per text field. */
  readonly tokensMax: Readonly<Record<EncoderField, number>>;
}

/** The encoder's vocabulary of word stems, as returned by `splitTokens`. */
export class Vocabulary {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #buckets: number;
  readonly #tokensMax: Readonly<Record<EncoderField, number>>;

  constructor(words: readonly string[], { buckets, tokensMax }: VocabularyOptions) {
    this.#ids = new Map(words.map((word, at) => [word, at + 1]));
    this.#buckets = buckets;
    this.#tokensMax = tokensMax;
  }

  /** @param text the content of `vocabulary.txt`, with one word per line. */
  static parse(text: string, options: VocabularyOptions): Vocabulary {
    return new Vocabulary(text.trimEnd().split('\n'), options);
  }

  /** Number of rows of the embedding table, with one row for each token id and one for padding. */
  get size(): number {
    return 1 + this.#ids.size + this.#buckets;
  }

  idOf(word: string): number {
    return this.#ids.get(word) ?? 1 + this.#ids.size + (hashWord(word) % this.#buckets);
  }

  /** The distinct tokens of each text field, in order. A text without words has an empty list. */
  tokenize(text: EncoderText): TokenRow {
    const tokenIds: number[] = [];
    const fieldIds: number[] = [];
    const seen = encoderFields.map(() => new Set<number>());
    for (const part of text) {
      const field = encoderFields.indexOf(part.field);
      const known = seen[field];
      const tokensLeft = this.#tokensMax[part.field] - (known?.size ?? 0);
      if (known === undefined || tokensLeft <= 0) continue;
      for (const word of splitTokens(part.text.slice(0, charactersPerTextMax), tokensLeft)) {
        const id = this.idOf(word);
        if (known.has(id)) continue;
        known.add(id);
        tokenIds.push(id);
        fieldIds.push(field + 1);
      }
    }
    return { tokenIds, fieldIds };
  }
}

/** 32-bit FNV-1a hash over UTF-16 code units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The two input tensors of an inference, in row-major order. Shorter rows are padded with 0. */
interface TokenBatch {
  readonly tokenIds: BigInt64Array;
  readonly fieldIds: BigInt64Array;
  readonly shape: readonly [rows: number, length: number];
}

export function batchTokens(rows: readonly TokenRow[]): TokenBatch {
  const length = rows.reduce((longest, { tokenIds }) => Math.max(longest, tokenIds.length), 1);
  const tokenIds = new BigInt64Array(rows.length * length);
  const fieldIds = new BigInt64Array(rows.length * length);
  rows.forEach((row, at) => {
    for (let token = 0; token < row.tokenIds.length; token += 1) {
      tokenIds[at * length + token] = BigInt(row.tokenIds[token] ?? 0);
      fieldIds[at * length + token] = BigInt(row.fieldIds[token] ?? 0);
    }
  });
  return { tokenIds, fieldIds, shape: [rows.length, length] };
}
