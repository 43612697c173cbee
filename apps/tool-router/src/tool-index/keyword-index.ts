import { runAtOnce, type Pieces } from '@gateway/messaging';
import { nextCount, type Word } from './tokens.ts';
import type { ToolCard } from './tool-card.ts';

/**
 * The usual BM25 constants (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), for a single
 * weighted field. On the public data sets (`npm run eval:tools`), other constants change recall@5 by less than
 * one point. The tested ranges are k1 from 0.9 to 2 and b from 0.3 to 0.9.
 */
const k1 = 1.2;
const b = 0.6;

interface ListLengths {
  /** For each tool position, the BM25 parameter k1 multiplied by the tool's normalized text length. */
  readonly norms: Float64Array;
}

/** The tools that contain a term, with weighted counts. */
class Postings {
  readonly positions: number[];
  readonly #counts: number[];
  readonly #lengths: ListLengths;
  #gains: Float64Array | undefined;

  /**
   * An array that starts with one element reserves no extra memory, and most terms occur in only one tool.
   */
  constructor(lengths: ListLengths, position: number, count: number) {
    this.#lengths = lengths;
    this.positions = [position];
    this.#counts = [count];
  }

  /**
   * Adds a tool to the term's postings. The parameter `count` is in quarters, like the counts in tool cards.
   */
  add(position: number, count: number): void {
    this.positions.push(position);
    this.#counts.push(count);
  }

  /**
   * The amount that the term adds to each tool's score. The amount is the saturated weighted count multiplied by the
   * inverse document frequency. The amounts are computed on first use, because most terms of a long tool list never
   * occur in a query.
   */
  get gains(): Float64Array {
    return (this.#gains ??= this.#weigh());
  }

  #weigh(): Float64Array {
    const { norms } = this.#lengths;
    const idf = inverseDocumentFrequency(this.positions.length, norms.length);
    return Float64Array.from(this.positions, (position, at) => {
      const weighted = (this.#counts[at] ?? 0) / 4;
      return (idf * (weighted * (k1 + 1))) / (weighted + (norms[position] ?? 0));
    });
  }
}

/** An inverted index over one tool list, in the order of the client's list. */
export interface KeywordIndex {
  readonly listHash: string;
  /** Hashes of the tool definitions, by position. */
  readonly hashes: readonly string[];
  /**
   * Tool names by position. Null for a tool without a name. The index keeps no reference to the
   * cached words of a tool, so the cache can free their memory.
   */
  readonly names: readonly (string | null)[];
  /** The distinct words in each tool's name, by position. */
  readonly nameTerms: readonly (readonly string[])[];
  /** Words in each tool's parameter names, by position. */
  readonly parameterTerms: readonly (readonly string[])[];
  /** The lengths of each tool's definition and of its parameters in characters, by position. */
  readonly definitionCharacters: Uint32Array;
  readonly parameterCharacters: Uint32Array;
  readonly positionsByName: ReadonlyMap<string, readonly number[]>;
  readonly postings: ReadonlyMap<string, Postings>;
  /**
   * The place of each tool in the order of names and definitions, by the tool's index. Tools with equal scores
   * are sorted by this place.
   */
  readonly tieRanks: Uint32Array;
  /** Approximate memory use of the index in bytes, for cache limits. */
  readonly bytes: number;
}

/** Builds the index of each tool list only once. A query reads only the index entries for its own words. */
export function indexToolList(listHash: string, cards: readonly ToolCard[]): KeywordIndex {
  return runAtOnce(indexInPieces(listHash, cards));
}

/** Like `indexToolList`, but with pauses between the steps. */
export function* indexInPieces(listHash: string, cards: readonly ToolCard[]): Pieces<KeywordIndex> {
  // The order of the tools cannot change the sum of text lengths, because text lengths are integers.
  const lengthMean = cards.reduce((sum, card) => sum + card.length, 0) / Math.max(1, cards.length);
  const postings = yield* collectPostings(cards, lengthMean);
  const bytes = yield* sumBytes(cards, postings);
  yield;
  const tieRanks = rankTies(cards);
  yield;
  return {
    listHash,
    hashes: cards.map(({ hash }) => hash),
    names: cards.map(({ name }) => name),
    nameTerms: cards.map(({ nameTerms }) => nameTerms),
    parameterTerms: cards.map(({ parameterTerms }) => parameterTerms),
    definitionCharacters: Uint32Array.from(cards, (card) => card.definitionCharacters),
    parameterCharacters: Uint32Array.from(cards, (card) => card.parameterCharacters),
    positionsByName: groupByName(cards),
    postings,
    tieRanks,
    bytes,
  };
}

/**
 * Number of tool cards, and number of terms, to process between two pauses. Processing 32 tool cards or 2,048
 * terms takes a fraction of a millisecond.
 */
const [cardsAtOnce, termsAtOnce] = [32, 2_048];

function* sumBytes(cards: readonly ToolCard[], postings: ReadonlyMap<string, Postings>): Pieces<number> {
  let [bytes, terms] = [cards.length * 338, 0];
  for (const each of postings.values()) {
    if ((terms += 1) % termsAtOnce === 0) yield;
    bytes += 260 + each.positions.length * 24;
  }
  return bytes;
}

function rankTies(cards: readonly ToolCard[]): Uint32Array {
  const sorted = cards
    .map((card, position) => ({ key: `${card.name ?? ''}\n${card.hash}`, position }))
    .sort((one, other) =>
      one.key < other.key ? -1 : one.key > other.key ? 1 : one.position - other.position,
    );
  const ranks = new Uint32Array(cards.length);
  sorted.forEach(({ position }, rank) => (ranks[position] = rank));
  return ranks;
}

function groupByName(cards: readonly ToolCard[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  cards.forEach(({ name }, position) => {
    if (name === null) return;
    const same = positions.get(name);
    if (same === undefined) positions.set(name, [position]);
    else same.push(position);
  });
  return positions;
}

function* collectPostings(cards: readonly ToolCard[], lengthMean: number): Pieces<Map<string, Postings>> {
  const norms = Float64Array.from(
    cards,
    ({ length }) => k1 * (1 - b + (b * length) / Math.max(1, lengthMean)),
  );
  const draft = new PostingsDraft({ norms });
  for (const [position, { terms, counts }] of cards.entries()) {
    if (position % cardsAtOnce === cardsAtOnce - 1) yield;
    terms.forEach((word, at) => draft.add(word, position, counts[at] ?? 0));
  }
  return draft.postings;
}

/**
 * Looks up the postings (index entries) of each token once by text, and then stores their place in the token object.
 * If another index build overwrites the stored place during a pause, the postings are looked up by text again.
 */
class PostingsDraft {
  readonly postings = new Map<string, Postings>();
  readonly #places: Postings[] = [];
  readonly #lengths: ListLengths;
  readonly #count = nextCount();

  constructor(lengths: ListLengths) {
    this.#lengths = lengths;
  }

  add(word: Word, position: number, count: number): void {
    if (word.count === this.#count) {
      this.#places[word.place]?.add(position, count);
      return;
    }
    let found = this.postings.get(word.token);
    if (found === undefined) {
      found = new Postings(this.#lengths, position, count);
      this.postings.set(word.token, found);
    } else found.add(position, count);
    word.count = this.#count;
    word.place = this.#places.length;
    this.#places.push(found);
  }
}

/**
 * Rarity of a word in this tool list (inverse document frequency). A word that the tool list does not contain
 * has the highest rarity.
 */
export function idfOf({ postings, names }: Pick<KeywordIndex, 'postings' | 'names'>, word: string): number {
  return inverseDocumentFrequency(postings.get(word)?.positions.length ?? 0, names.length);
}

/** The weight of a word that occurs in only one tool of the list. No word in the tool list has a greater weight. */
export function weightOfOwnWord({ names }: Pick<KeywordIndex, 'names'>): number {
  return inverseDocumentFrequency(1, names.length);
}

function inverseDocumentFrequency(documents: number, total: number): number {
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}
