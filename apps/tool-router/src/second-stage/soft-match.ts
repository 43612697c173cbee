import type { Pieces } from '@gateway/messaging';
import type { StageList } from './stage-list.ts';
import { idfOf } from '../tool-index/keyword-index.ts';
import { gramsOf } from './stage-list.ts';

/**
 * Minimum share of common trigrams (Dice coefficient) for two words to count as similar in spelling. A match by
 * spelling has a lower weight (`lookAlikeDiscount`).
 */
const lookAlikeMin = 0.5;
const lookAlikeDiscount = 0.8;
/**
 * Maximum number of words in a turn that match by similarity. Additional words match only exactly, because the search
 * for similar words is expensive.
 */
const softWordsMax = 64;

/** A word in the tool list that matches a word of the turn. Two identical words have a likeness of 1. */
interface SoftWord {
  readonly word: string;
  readonly likeness: number;
}

interface SoftScores {
  /** Score over all texts of a tool, with the field weights of keyword scores. */
  readonly text: Float64Array;
  /** Number of words from the turn that occur in the tool's name. */
  readonly name: Float64Array;
  /** The share of the tool's name that occurs in the turn, measured by word weight. */
  readonly nameCovered: Float64Array;
}

/**
 * Scores tools by late interaction (word by word), using the inverted index. Each word in the turn contributes
 * the score of its best match among the tool's words. A match is an identical word, a synonym or a similar
 * spelling.
 */
export function* scoreSoftly(
  list: StageList,
  words: ReadonlyMap<string, number>,
  synonyms: Synonyms,
): Pieces<SoftScores> {
  const count = list.index.names.length;
  const text = new Float64Array(count);
  const name = new Float64Array(count);
  const bestText = new Float64Array(count);
  const bestName = new Float64Array(count);
  const met = new Map<string, number>();
  let at = 0;
  for (const [word, weight] of words) {
    yield;
    const matches = (at += 1) > softWordsMax ? [{ word, likeness: 1 }] : findMatches(list, word, synonyms);
    bestText.fill(0);
    bestName.fill(0);
    for (const { word: match, likeness } of matches) {
      met.set(match, Math.max(met.get(match) ?? 0, weight * likeness));
      takeBest(list, match, likeness, bestText, bestName);
    }
    for (let position = 0; position < count; position += 1) {
      text[position] = (text[position] ?? 0) + weight * (bestText[position] ?? 0);
      name[position] = (name[position] ?? 0) + weight * (bestName[position] ?? 0);
    }
  }
  return { text, name, nameCovered: coverNames(list, met) };
}

function takeBest(
  { index, namePostings }: StageList,
  match: string,
  likeness: number,
  bestText: Float64Array,
  bestName: Float64Array,
): void {
  const postings = index.postings.get(match);
  postings?.positions.forEach((position, place) => {
    bestText[position] = Math.max(bestText[position] ?? 0, likeness * (postings.gains[place] ?? 0));
  });
  for (const position of namePostings.get(match) ?? []) {
    bestName[position] = Math.max(bestName[position] ?? 0, likeness);
  }
}

/** For each tool, computes the share of the name that matches the turn, weighted by rarity and likeness. */
function coverNames({ index, namePostings, nameWeights }: StageList, met: ReadonlyMap<string, number>) {
  const covered = new Float64Array(index.names.length);
  for (const [word, likeness] of met) {
    const positions = namePostings.get(word);
    if (positions === undefined) continue;
    const share = likeness * idfOf(index, word);
    for (const position of positions) {
      covered[position] = (covered[position] ?? 0) + share / Math.max(1e-6, nameWeights[position] ?? 0);
    }
  }
  return covered;
}

function findMatches(list: StageList, word: string, synonyms: Synonyms): SoftWord[] {
  const isKnown = list.index.postings.has(word);
  const found: SoftWord[] = isKnown ? [{ word, likeness: 1 }] : findLookAlikes(list, word);
  synonyms.visitNeighbours(word, (neighbour, cosine) => {
    if (list.index.postings.has(neighbour)) found.push({ word: neighbour, likeness: cosine });
  });
  return found;
}

function findLookAlikes({ wordsByGram }: StageList, word: string): SoftWord[] {
  const grams = gramsOf(word);
  const common = new Map<string, number>();
  for (const gram of grams) {
    for (const other of wordsByGram.get(gram) ?? []) common.set(other, (common.get(other) ?? 0) + 1);
  }
  const found: SoftWord[] = [];
  for (const [other, shared] of common) {
    const dice = (2 * shared) / (grams.size + other.length);
    if (dice >= lookAlikeMin) found.push({ word: other, likeness: Math.min(1, dice) * lookAlikeDiscount });
  }
  return found;
}

/**
 * Synonyms, read from `synonyms.bin`. The file starts with a uint32 that contains the length in bytes of the word
 * list. The word list has one word per line and is padded with newlines to four bytes. After the word list, one
 * uint32 per word gives the position of the word's first neighbour. One more uint32 marks the end of all neighbours.
 * Each neighbour consists of a word index (uint16) and a cosine (uint8) in units of 1/255.
 */
export class Synonyms {
  static readonly none = new Synonyms([], new Uint32Array(1), new Uint16Array(0), new Uint8Array(0));

  readonly #words: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #starts: Uint32Array;
  readonly #neighbours: Uint16Array;
  readonly #cosines: Uint8Array;

  private constructor(
    words: readonly string[],
    starts: Uint32Array,
    neighbours: Uint16Array,
    cosines: Uint8Array,
  ) {
    this.#words = words;
    this.#places = new Map(words.map((word, place) => [word, place]));
    this.#starts = starts;
    this.#neighbours = neighbours;
    this.#cosines = cosines;
  }

  /** @throws RangeError if the bytes are not a synonyms file. */
  static parse(bytes: Uint8Array): Synonyms {
    const copy = Uint8Array.from(bytes).buffer;
    const textBytes = new DataView(copy).getUint32(0, true);
    const words = Buffer.from(copy, 4, textBytes).toString('utf8').trimEnd().split('\n');
    const starts = new Uint32Array(copy, 4 + textBytes, words.length + 1);
    const count = starts[words.length] ?? 0;
    const from = 4 + textBytes + starts.byteLength;
    return new Synonyms(
      words,
      starts,
      new Uint16Array(copy, from, count),
      new Uint8Array(copy, from + 2 * count, count),
    );
  }

  /** Neighbours of a word, in order of increasing distance, excluding the word itself. */
  visitNeighbours(word: string, visit: (neighbour: string, cosine: number) => void): void {
    const place = this.#places.get(word);
    if (place === undefined) return;
    const end = this.#starts[place + 1] ?? 0;
    for (let at = this.#starts[place] ?? 0; at < end; at += 1) {
      visit(this.#words[this.#neighbours[at] ?? 0] ?? '', (this.#cosines[at] ?? 0) / 255);
    }
  }
}
