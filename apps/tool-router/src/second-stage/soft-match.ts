import { gramsOf, type StageList } from './stage-list.ts';
import type { Synonyms } from './synonyms.ts';

/** Words that only look alike count from this share of common grams on (Dice), and never as much as the word itself. */
const lookAlikeMin = 0.5;
const lookAlikeDiscount = 0.8;
/** Words of a turn beyond these are matched as they stand alone: their neighbours cost the most. */
const softWordsMax = 64;

/** A word of the list that stands for a word of the turn, and how well: 1 for the word itself. */
interface SoftWord {
  readonly word: string;
  readonly likeness: number;
}

/**
 * Late interaction through the inverted index: each word of the turn counts for a tool as much as the best of the tool's
 * words that mean the same or look the same.
 */
export function scoreSoftly(
  list: StageList,
  words: ReadonlyMap<string, number>,
  synonyms: Synonyms,
): { readonly text: Float64Array; readonly name: Float64Array } {
  const count = list.index.names.length;
  const text = new Float64Array(count);
  const name = new Float64Array(count);
  const bestText = new Float64Array(count);
  const bestName = new Float64Array(count);
  let at = 0;
  for (const [word, weight] of words) {
    const standIns = (at += 1) > softWordsMax ? [{ word, likeness: 1 }] : findStandIns(list, word, synonyms);
    bestText.fill(0);
    bestName.fill(0);
    for (const { word: standIn, likeness } of standIns) {
      const postings = list.index.postings.get(standIn);
      postings?.positions.forEach((position, place) => {
        bestText[position] = Math.max(bestText[position] ?? 0, likeness * (postings.gains[place] ?? 0));
      });
      for (const position of list.namePostings.get(standIn) ?? []) {
        bestName[position] = Math.max(bestName[position] ?? 0, likeness);
      }
    }
    for (let position = 0; position < count; position += 1) {
      text[position] = (text[position] ?? 0) + weight * (bestText[position] ?? 0);
      name[position] = (name[position] ?? 0) + weight * (bestName[position] ?? 0);
    }
  }
  return { text, name };
}

function findStandIns(list: StageList, word: string, synonyms: Synonyms): SoftWord[] {
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
