import { runAtOnce, type Pieces } from '@gateway/messaging';
import type { ToolCard } from '../tool-index/tool-card.ts';
import { idfOf, type KeywordIndex } from '../tool-index/keyword-index.ts';

/** Second-stage data for a tool list, in addition to the list's keyword index. */
export interface StageList {
  readonly index: KeywordIndex;
  /** For each word, the positions of the tools that have the word in their name. */
  readonly namePostings: ReadonlyMap<string, readonly number[]>;
  /**
   * For each pair of adjacent words (`pairOf`), the positions of the tools with this pair in their name. If
   * a name contains the same pair of words twice, the tool is listed twice.
   */
  readonly namePairs: ReadonlyMap<string, readonly number[]>;
  /** For each tool, the sum of `idfOf` over the words in the tool's name. */
  readonly nameWeights: Float64Array;
  /** Words in each tool's parameter names, by tool position. */
  readonly parameterTerms: readonly (readonly string[])[];
  /** For each tool position, 1 if the agent asks its user questions through the tool, otherwise 0. */
  readonly asking: Float64Array;
  /** Words in the tool list, keyed by trigram, for finding similar spellings. */
  readonly wordsByGram: ReadonlyMap<string, readonly string[]>;
  /** Approximate memory use in bytes, on which cache limits are based. */
  readonly bytes: number;
}

const gramLength = 3;
/**
 * Maximum length in characters of a word in the trigram index. Longer words are usually ids or encoded data.
 */
const gramWordLengthMax = 24;
/** Maximum number of words in the trigram index. Beyond this number, words of the tool list are skipped. */
const gramWordsMax = 20_000;

/** Number of words added to the trigram index between two pauses. */
const gramWordsAtOnce = 256;

/**
 * Computes the second-stage data once per tool list. The parameter `cards` contains the index's tool cards,
 * in the order of the index.
 */
export function makeStageList(
  index: KeywordIndex,
  cards: readonly Pick<ToolCard, 'parameterTerms'>[],
): StageList {
  return runAtOnce(makeStageListInPieces(index, cards));
}

/** Like `makeStageList`, but with pauses between the steps. */
export function* makeStageListInPieces(
  index: KeywordIndex,
  cards: readonly Pick<ToolCard, 'parameterTerms'>[],
): Pieces<StageList> {
  const namePostings = new Map<string, number[]>();
  index.nameTerms.forEach((terms, position) => {
    for (const term of terms) pushTo(namePostings, term, position);
  });
  yield;
  const namePairs = new Map<string, number[]>();
  index.nameTerms.forEach((terms, position) => {
    for (let at = 1; at < terms.length; at += 1) {
      pushTo(namePairs, pairOf(terms[at - 1] ?? '', terms[at] ?? ''), position);
    }
  });
  yield;
  const nameWeights = Float64Array.from(index.nameTerms, (terms) =>
    terms.reduce((sum, term) => sum + idfOf(index, term), 0),
  );
  const wordsByGram = new Map<string, string[]>();
  let words = 0;
  for (const word of index.postings.keys()) {
    if ((words += 1) > gramWordsMax) break;
    if (words % gramWordsAtOnce === 0) yield;
    for (const gram of gramsOf(word)) pushTo(wordsByGram, gram, word);
  }
  const parameterTerms = cards.map((card) => card.parameterTerms);
  const asking = markAsking(index, parameterTerms);
  const bytes = cards.length * 400 + wordsByGram.size * 120 + words * 60;
  return { index, namePostings, namePairs, nameWeights, parameterTerms, asking, wordsByGram, bytes };
}

/**
 * Maximum number of parameters of a tool that only asks a question. Typical parameters are the question and
 * the choices.
 */
const askingParametersMax = 4;
/**
 * Minimum weight of the word "ask" in the tool's texts, where 1 means one occurrence in a text of average
 * length. Below this weight, the word "ask" does not indicate that the tool asks the user a question.
 */
const askingWeightMin = 0.85;

/**
 * Marks tools with which the agent asks its user a question. Such tools share no words with users' requests, so
 * word scores cannot find them.
 */
function markAsking(index: KeywordIndex, parameterTerms: StageList['parameterTerms']): Float64Array {
  const marks = new Float64Array(index.names.length);
  const asking = index.postings.get('ask');
  const whom = new Set(['user', 'human'].flatMap((word) => [...(index.postings.get(word)?.positions ?? [])]));
  asking?.positions.forEach((position, place) => {
    const weight = (asking.gains[place] ?? 0) / idfOf(index, 'ask');
    const isShort = (parameterTerms[position]?.length ?? 0) <= askingParametersMax;
    if (whom.has(position) && isShort && weight >= askingWeightMin) marks[position] = 1;
  });
  return marks;
}

/** Returns a key for two words. The order of the words does not change the key. */
export function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** The distinct trigrams in a word, with `<` and `>` marking the start and end of the word. */
export function gramsOf(word: string): Set<string> {
  const grams = new Set<string>();
  if (word.length > gramWordLengthMax || word.length < gramLength) return grams;
  const marked = `<${word}>`;
  for (let at = 0; at + gramLength <= marked.length; at += 1) grams.add(marked.slice(at, at + gramLength));
  return grams;
}

function pushTo<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}
