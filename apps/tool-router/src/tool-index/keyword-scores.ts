import type { Pieces } from '@gateway/messaging';
import type { KeywordIndex } from './keyword-index.ts';
import { splitTokens } from './tokens.ts';

const turnTokensMax = 512;
const turnCharactersMax = 20_000;
/**
 * Number of earlier user turns that contribute words. Each turn has half the weight of the turn after
 * it.
 */
export const contextTurnsMax = 3;
const contextDecay = 0.5;
/**
 * If a turn has at most this number of words, earlier turns have their full weight. The full weights of the
 * three preceding turns are 0.5, 0.25 and 0.125. For a longer turn, the weights of earlier turns are inversely
 * proportional to its length. The maximum of six words was chosen for the best recall@5 and recall@10 on
 * public dialogues with 100 candidates. For independent turns (bfcl_multi_turn), recall@5/recall@10 is
 * 79.8/88.0 without context, 77.9/87.0 with full context, and 80.2/88.8 with decreasing weights. For connected
 * dialogues (apibank), the three results are 55.9/61.2, 75.0/85.6 and 74.5/85.4.
 */
export const standaloneWords = 6;

/** The words in a user turn with their weights. The weight of a word is at most 1. */
export type TurnQuery = ReadonlyMap<string, number>;

/**
 * The query for turn `at`. The query contains the words of the turn and weighted words from earlier turns. Later
 * turns have no influence on the query.
 */
export function makeTurnQuery(turns: readonly string[], at: number): TurnQuery {
  const query = new Map<string, number>();
  for (const word of wordsOf(turns[at])) query.set(word, 1);
  let weight = Math.min(1, standaloneWords / Math.max(1, query.size));
  for (let back = 1; back <= contextTurnsMax && at - back >= 0; back += 1) {
    weight *= contextDecay;
    for (const word of wordsOf(turns[at - back])) {
      if (!query.has(word)) query.set(word, weight);
    }
  }
  return query;
}

function wordsOf(turn: string | undefined): Set<string> {
  return new Set(splitTokens((turn ?? '').slice(0, turnCharactersMax), turnTokensMax));
}

/** Number of values in an ascending array that are at most `value`. */
export function countAtMost(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of values in an ascending array that are less than `value`. */
export function countBelow(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of tool positions to process between two pauses, which takes about half a millisecond. */
const positionsAtOnce = 50_000;

/**
 * Keyword scores of the tools, by position in the tool list. Each score is summed in the order of the query's
 * words, so that the order of the tools cannot change the score.
 */
export function* scoreByKeyword(index: KeywordIndex, query: TurnQuery): Pieces<Float64Array> {
  const scores = new Float64Array(index.names.length);
  let read = 0;
  for (const [word, weight] of query) {
    const postings = index.postings.get(word);
    if (postings === undefined) continue;
    if ((read += postings.positions.length) > positionsAtOnce) {
      yield;
      read = 0;
    }
    postings.positions.forEach((position, at) => {
      scores[position] = (scores[position] ?? 0) + weight * (postings.gains[at] ?? 0);
    });
  }
  return scores;
}

/**
 * Tool positions sorted by score, best score first. Tools with equal scores are ordered by name and
 * definition.
 */
export function orderByScore({ tieRanks }: KeywordIndex, scores: Float64Array): Uint32Array {
  const count = scores.length;
  const ascending = scores.toSorted();
  const byTie = new Uint32Array(count);
  tieRanks.forEach((rank, position) => (byTie[rank] = position));
  // A counting sort places each tool directly at the rank of its score.
  // A comparison sort would take five times as long.
  const taken = new Uint32Array(count);
  const order = new Uint32Array(count);
  for (const position of byTie) {
    const place = count - countAtMost(ascending, scores[position] ?? 0);
    const before = taken[place] ?? 0;
    order[place + before] = position;
    taken[place] = before + 1;
  }
  return order;
}
