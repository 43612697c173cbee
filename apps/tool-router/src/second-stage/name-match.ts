import type { TurnQuery } from '../ranking/turn-query.ts';
import { idfOf, pairOf, type StageList } from './stage-list.ts';
import type { StageTurn } from './stage-turn.ts';

/** Words between two words of a name, in the turn, up to which they still stand together. */
const phraseGapMax = 2;

/** How much of each tool's name the turn has: by weight of its words, and as words that stand together. */
export function measureNames(
  { index, nameWeights, namePostings, namePairs }: StageList,
  turn: StageTurn,
): { name_covered: Float64Array; name_phrase: Float64Array } {
  const covered = new Float64Array(index.names.length);
  for (const [word, weight] of turn.query) {
    const positions = namePostings.get(word);
    if (positions === undefined) continue;
    const share = weight * idfOf(index, word);
    for (const position of positions) {
      covered[position] = (covered[position] ?? 0) + share / Math.max(1e-6, nameWeights[position] ?? 0);
    }
  }
  const together = new Float64Array(index.names.length);
  for (const pair of collectPairs(turn.words)) {
    for (const position of namePairs.get(pair) ?? []) together[position] = (together[position] ?? 0) + 1;
  }
  const phrase = together.map((pairs, position) => {
    const terms = index.nameTerms[position]?.length ?? 0;
    return terms < 2 ? 0 : pairs / (terms - 1);
  });
  return { name_covered: covered, name_phrase: phrase };
}

/** How much of the turn, by weight of its words in this list, each tool has in any of its texts. */
export function measureCoverage({ index }: StageList, query: TurnQuery): Float64Array {
  const covered = new Float64Array(index.names.length);
  let total = 0;
  for (const [word, weight] of query) {
    const share = weight * idfOf(index, word);
    total += share;
    index.postings.get(word)?.positions.forEach((position) => {
      covered[position] = (covered[position] ?? 0) + share;
    });
  }
  return covered.map((value) => value / Math.max(1e-6, total));
}

function collectPairs(words: readonly string[]): Set<string> {
  const pairs = new Set<string>();
  words.forEach((word, at) => {
    for (let next = at + 1; next <= at + phraseGapMax && next < words.length; next += 1) {
      pairs.add(pairOf(word, words[next] ?? ''));
    }
  });
  return pairs;
}
