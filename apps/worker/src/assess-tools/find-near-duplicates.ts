import type { Pieces } from '@gateway/messaging';
import type { AssessedTool } from './assessed-tool.ts';
import type { Meanings } from './meanings.ts';

/** A tool that is easily confused with another tool in the same tool list. */
export interface NearDuplicate {
  readonly name: string;
  /** Similarity to the other tool, from 0 to 1. */
  readonly similarity: number;
}

/**
 * Minimum similarity at which two tools with the same action are near duplicates. With the chosen value,
 * one in twelve of GitHub's 117 tools is a near duplicate.
 */
const similarityMin = 0.75;
/**
 * Thresholds for similarity in meaning, as cosines from the shipped encoder. Two tools match if their definitions are
 * related and the differing words in their names have the same meaning (cars, vehicles). Two tools also match if
 * their names have no word in common but their definitions are nearly identical. No two of GitHub's 117 tools are
 * similar enough to reach the thresholds. The closest pair of GitHub's tools, labels and tags, has a cosine of 0.35.
 */
const wordsMeaningMin = 0.36;
const toolsMeaningMin = 0.35;
const sameMeaningMin = 0.8;
const nearestMax = 5;
/**
 * Maximum number of tools in a tool list that are compared. Comparison time grows quadratically with the
 * number of tools. The comparison pauses between its steps, so that other tasks can run.
 */
const toolsMax = 1_000;

/**
 * For each tool name, finds the tools in the list that perform the same action on the same objects. Lexical
 * similarity is the mean of two parts. The first part compares the objects in the tool names. The second part
 * compares the words in the descriptions, and gives more weight to words that are rare in the list. Synonymous verbs
 * count as one verb. Tools with the same words in their names are always near duplicates. If `meanings` is given, the
 * function also finds tools that express the same meaning in other words.
 */
export function* findNearDuplicates(
  tools: readonly AssessedTool[],
  meanings: Meanings | null = null,
): Pieces<Map<string, NearDuplicate[]>> {
  const compared = tools.slice(0, toolsMax);
  const weights = yield* weighDescriptions(compared);
  const found = new Map<string, NearDuplicate[]>();
  for (const [at, one] of compared.entries()) {
    for (let other = at + 1; other < compared.length; other += 1) {
      const second = compared[other];
      if (second === undefined || second.name === one.name) continue;
      const similarity = Math.max(
        measureSimilarity(one, second, weights),
        meanings === null ? 0 : measureMeaning(one, second, meanings),
      );
      if (similarity < similarityMin) continue;
      addNearest(found, one.name, { name: second.name, similarity });
      addNearest(found, second.name, { name: one.name, similarity });
    }
    yield;
  }
  return found;
}

/** Keeps the nearest tools, starting with the most similar tool. */
function addNearest(found: Map<string, NearDuplicate[]>, name: string, added: NearDuplicate): void {
  const nearest = found.get(name) ?? [];
  found.set(name, nearest);
  const at = nearest.findIndex(({ similarity }) => similarity < added.similarity);
  nearest.splice(at < 0 ? nearest.length : at, 0, added);
  if (nearest.length > nearestMax) nearest.pop();
}

function measureSimilarity(
  one: AssessedTool,
  other: AssessedTool,
  weights: ReadonlyMap<AssessedTool, ReadonlyMap<string, number>>,
): number {
  if (one.action !== other.action || one.action === undefined) return 0;
  const names = overlap(one.objects, other.objects);
  if (names === 1) return 1;
  const [first, second] = [weights.get(one), weights.get(other)];
  const texts = first === undefined || second === undefined ? 0 : multiply(first, second);
  return Math.round(((names + texts) / 2) * 100) / 100;
}

/**
 * Returns the cosine between two definitions that describe the same action in other words. Returns 0 if the
 * similarity is below the thresholds.
 */
function measureMeaning(one: AssessedTool, other: AssessedTool, meanings: Meanings): number {
  if (one.action !== other.action || one.action === undefined) return 0;
  const cosine = meanings.compareTools(one.name, other.name);
  if (cosine < toolsMeaningMin) return 0;
  const [ofOne, ofOther] = [lacking(one.objects, other.objects), lacking(other.objects, one.objects)];
  // If a tool's name adds words to another tool's name, the tool is more specific, and not a duplicate.
  if (ofOne.length === 0 || ofOther.length === 0) return 0;
  const isApart = ofOne.length === one.objects.size;
  const meansSame = meanings.compareWords(ofOne, ofOther) >= wordsMeaningMin;
  if (!meansSame && !(isApart && cosine >= sameMeaningMin)) return 0;
  return Math.round(Math.max(similarityMin, Math.min(1, cosine)) * 100) / 100;
}

/** Returns the words in `one` that are not in `other`. */
function lacking(one: ReadonlySet<string>, other: ReadonlySet<string>): string[] {
  return [...one].filter((word) => !other.has(word));
}

/** The Jaccard similarity of two sets. Returns 0 if one of the sets is empty. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / (one.size + other.size - shared);
}

/** Returns one vector of length 1 per description, in which each word is weighted by its rarity. */
function* weighDescriptions(
  tools: readonly AssessedTool[],
): Pieces<ReadonlyMap<AssessedTool, ReadonlyMap<string, number>>> {
  const holders = new Map<string, number>();
  for (const { descriptionStems } of tools) {
    for (const stem of new Set(descriptionStems)) holders.set(stem, (holders.get(stem) ?? 0) + 1);
    yield;
  }
  const weighed = new Map<AssessedTool, ReadonlyMap<string, number>>();
  for (const tool of tools) {
    const weights = new Map<string, number>();
    for (const stem of new Set(tool.descriptionStems)) {
      weights.set(stem, Math.log(1 + tools.length / (holders.get(stem) ?? 1)));
    }
    const length = Math.sqrt(multiply(weights, weights));
    for (const [stem, weight] of weights) weights.set(stem, length === 0 ? 0 : weight / length);
    weighed.set(tool, weights);
    yield;
  }
  return weighed;
}

function multiply(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [stem, weight] of one) sum += weight * (other.get(stem) ?? 0);
  return sum;
}
