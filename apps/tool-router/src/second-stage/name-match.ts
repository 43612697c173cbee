import type { Pieces } from '@gateway/messaging';
import type { TurnQuery } from '../tool-index/keyword-scores.ts';
import type { StageList } from './stage-list.ts';
import { idfOf } from '../tool-index/keyword-index.ts';
import { pairOf } from './stage-list.ts';
import type { StageTurn } from './stage-turn.ts';
import { dot } from './score-math.ts';

/** Two words of a turn count as adjacent if they are at most this number of words apart. */
const phraseGapMax = 2;

/** Computes how much of each tool's name occurs in the turn, measured by word weights and adjacent word pairs. */
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

/** For each tool, the weighted share of the turn's words that occur in the tool's texts. */
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

/** Number of top-ranked tools to which the other tools are compared. */
const leadersMax = 3;
/** Number of top-ranked tools that may receive parameters from other tools. */
const needyMax = 5;
/**
 * A tool is a supplier if at least this share of its name occurs in a top-ranked tool's parameter words.
 * Suppliers of a supplier are also related to the top-ranked tool, with the factor `secondHop`.
 */
const supplierMin = 0.5;
const secondHop = 0.7;

interface Affinity {
  readonly affinity_cosine: Float64Array;
  readonly affinity_name: Float64Array;
  readonly affinity_parameters: Float64Array;
}

/**
 * Measures how closely each tool is related to the top-ranked tools. Two tools are related if their vectors are
 * similar, if their names share words, or if one tool supplies a parameter of the other. A tool can supply a
 * parameter that a top-ranked tool needs, for example `get_user_id` before `send_message(user_id)`.
 */
export function* measureAffinity(
  list: StageList,
  order: Uint32Array,
  { tools, dimensions }: { readonly tools: Float32Array; readonly dimensions: number },
): Pieces<Affinity> {
  const cosine = yield* measureNearness(order, { tools, dimensions });
  const name = new Float64Array(order.length);
  for (const leader of order.subarray(0, leadersMax)) {
    yield;
    takeLarger(name, shareNames(list, leader, list.index.nameTerms[leader] ?? []), 1);
  }
  return {
    affinity_cosine: cosine,
    affinity_name: name,
    affinity_parameters: yield* measureSupplies(list, order.subarray(0, needyMax)),
  };
}

/** For each tool, the largest cosine to one of the top-ranked tools. Negative cosines count as 0. */
export function* measureNearness(
  order: Uint32Array,
  { tools, dimensions }: { readonly tools: Float32Array; readonly dimensions: number },
): Pieces<Float64Array> {
  const cosine = new Float64Array(order.length);
  for (const leader of order.subarray(0, leadersMax)) {
    yield;
    const from = leader * dimensions;
    for (let position = 0; position < order.length; position += 1) {
      if (position === leader) continue;
      const product = dot(tools, from, tools, position * dimensions, dimensions);
      cosine[position] = Math.max(cosine[position] ?? 0, product);
    }
  }
  return cosine;
}

function* measureSupplies(list: StageList, needy: Uint32Array): Pieces<Float64Array> {
  const supply = new Float64Array(list.index.names.length);
  for (const tool of needy) {
    yield;
    takeLarger(supply, shareNames(list, tool, list.parameterTerms[tool] ?? []), 1);
  }
  const further = new Float64Array(supply.length);
  for (const [tool, share] of supply.entries()) {
    if (share < supplierMin || needy.includes(tool)) continue;
    yield;
    takeLarger(further, shareNames(list, tool, list.parameterTerms[tool] ?? []), secondHop * share);
  }
  takeLarger(supply, further, 1);
  return supply;
}

/** For each tool except `tool`, the weighted share of the words in its name that occur in `words`. */
function shareNames(list: StageList, tool: number, words: readonly string[]): Float64Array {
  const { index, namePostings, nameWeights } = list;
  const shares = new Float64Array(index.names.length);
  for (const word of words) {
    const weight = idfOf(index, word);
    for (const position of namePostings.get(word) ?? []) {
      if (position === tool) continue;
      shares[position] = (shares[position] ?? 0) + weight / Math.max(1e-6, nameWeights[position] ?? 0);
    }
  }
  return shares;
}

function takeLarger(best: Float64Array, others: Float64Array, factor: number): void {
  others.forEach((other, at) => (best[at] = Math.max(best[at] ?? 0, factor * other)));
}
