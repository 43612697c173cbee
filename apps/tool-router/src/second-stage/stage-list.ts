import type { ToolCard } from '../tool-index/tool-card.ts';
import { idfOf, type KeywordIndex } from '../tool-index/keyword-index.ts';

/** What the second stage keeps of a list, beside its index. */
export interface StageList {
  readonly index: KeywordIndex;
  /** Positions of the tools whose name has the word. */
  readonly namePostings: ReadonlyMap<string, readonly number[]>;
  /** Positions of the tools whose name has two words beside each other, by `pairOf`; a name that has them twice, twice. */
  readonly namePairs: ReadonlyMap<string, readonly number[]>;
  /** By position: the sum of `idfOf` over the words of the name. */
  readonly nameWeights: Float64Array;
  /** By position: words of the parameters' names. */
  readonly parameterTerms: readonly (readonly string[])[];
  /** By position: 1 for tools by which the agent asks its user. */
  readonly asking: Float64Array;
  /** Words of the list that hold three letters in a row, by these: words not found are looked up by what they look like. */
  readonly wordsByGram: ReadonlyMap<string, readonly string[]>;
  /** A rough size in memory, for the bound of whoever keeps it. */
  readonly bytes: number;
}

const gramLength = 3;
/** Longer words are ids and blobs. */
const gramWordLengthMax = 24;
/** Words looked at for a list; of more, the first. */
const gramWordsMax = 20_000;

/** Makes it once a list. `cards` are those that the index was made of, in its order. */
export function makeStageList(
  index: KeywordIndex,
  cards: readonly Pick<ToolCard, 'parameterTerms'>[],
): StageList {
  const namePostings = new Map<string, number[]>();
  index.nameTerms.forEach((terms, position) => {
    for (const term of terms) pushTo(namePostings, term, position);
  });
  const namePairs = new Map<string, number[]>();
  index.nameTerms.forEach((terms, position) => {
    for (let at = 1; at < terms.length; at += 1) {
      pushTo(namePairs, pairOf(terms[at - 1] ?? '', terms[at] ?? ''), position);
    }
  });
  const nameWeights = Float64Array.from(index.nameTerms, (terms) =>
    terms.reduce((sum, term) => sum + idfOf(index, term), 0),
  );
  const wordsByGram = new Map<string, string[]>();
  let words = 0;
  for (const word of index.postings.keys()) {
    if ((words += 1) > gramWordsMax) break;
    for (const gram of gramsOf(word)) pushTo(wordsByGram, gram, word);
  }
  const parameterTerms = cards.map((card) => card.parameterTerms);
  const asking = markAsking(index, parameterTerms);
  const bytes = cards.length * 400 + wordsByGram.size * 120 + words * 60;
  return { index, namePostings, namePairs, nameWeights, parameterTerms, asking, wordsByGram, bytes };
}

/** Parameters of a tool that only asks: a question, perhaps its choices. */
const askingParametersMax = 4;
/** What the word must weigh in the tool's texts, with 1 for once in a text of mean length: longer ones speak of asking by the way. */
const askingWeightMin = 0.85;

/** Tools by which the agent asks its user: what they are needed for has no words in common with any request. */
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

/** Names two words, whichever comes first. */
export function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** The different runs of three characters of a word, with `<` and `>` at its ends. */
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
