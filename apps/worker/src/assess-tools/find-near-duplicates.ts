import type { AssessedTool } from './assessed-tool.ts';
import type { Meanings } from './meanings.ts';

/** A tool that is easily confused with another one of the same list. */
export interface NearDuplicate {
  readonly name: string;
  /** Similarity from 0 to 1. */
  readonly similarity: number;
}

/**
 * Two tools with the same action are near duplicates from this similarity on. It marks one in twelve of GitHub's 117
 * tools.
 */
const similarityMin = 0.75;
/**
 * Thresholds for similarity by meaning, as cosines of the shipped encoder. Two tools match if the words that only one
 * name has mean the same (cars, vehicles) and the definitions are related. They also match if the names share no word
 * and the definitions are nearly the same. No pair of GitHub's 117 tools reaches them; the closest are labels and
 * tags with 0.35.
 */
const wordsMeaningMin = 0.36;
const toolsMeaningMin = 0.35;
const sameMeaningMin = 0.8;
const nearestMax = 5;
/** The comparison is quadratic, so it is limited to this many tools of a list. */
const toolsMax = 1_000;

/**
 * Finds tools of a list with the same action on the same objects, by name. Half of the lexical similarity comes from
 * the objects in the names, where synonymous verbs count as one. The other half comes from the words of the
 * descriptions, weighted by their rarity in this list. Names with the same words are always near duplicates. With
 * `meanings`, tools with the same meaning in other words are found as well.
 */
export function findNearDuplicates(
  tools: readonly AssessedTool[],
  meanings: Meanings | null = null,
): Map<string, NearDuplicate[]> {
  const compared = tools.slice(0, toolsMax);
  const weights = weighDescriptions(compared);
  const found = new Map<string, NearDuplicate[]>();
  compared.forEach((one, at) => {
    for (let other = at + 1; other < compared.length; other += 1) {
      const second = compared[other];
      if (second === undefined || second.name === one.name) continue;
      const similarity = Math.max(
        measureSimilarity(one, second, weights),
        meanings === null ? 0 : measureMeaning(one, second, meanings),
      );
      if (similarity < similarityMin) continue;
      push(found, one.name, { name: second.name, similarity });
      push(found, second.name, { name: one.name, similarity });
    }
  });
  for (const [name, near] of found) {
    found.set(name, near.sort((a, b) => b.similarity - a.similarity).slice(0, nearestMax));
  }
  return found;
}

function push(found: Map<string, NearDuplicate[]>, name: string, near: NearDuplicate): void {
  const known = found.get(name);
  if (known === undefined) found.set(name, [near]);
  else known.push(near);
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
 * Returns the cosine of two definitions with the same action in other words, at least `similarityMin`. Otherwise 0.
 */
function measureMeaning(one: AssessedTool, other: AssessedTool, meanings: Meanings): number {
  if (one.action !== other.action || one.action === undefined) return 0;
  const cosine = meanings.compareTools(one.name, other.name);
  if (cosine < toolsMeaningMin) return 0;
  const [ofOne, ofOther] = [lacking(one.objects, other.objects), lacking(other.objects, one.objects)];
  // A name that only adds words to another one belongs to a narrower tool.
  if (ofOne.length === 0 || ofOther.length === 0) return 0;
  const isApart = ofOne.length === one.objects.size;
  const meansSame = meanings.compareWords(ofOne, ofOther) >= wordsMeaningMin;
  if (!meansSame && !(isApart && cosine >= sameMeaningMin)) return 0;
  return Math.round(Math.max(similarityMin, Math.min(1, cosine)) * 100) / 100;
}

/** The words in `one` that are not in `other`. */
function lacking(one: ReadonlySet<string>, other: ReadonlySet<string>): string[] {
  return [...one].filter((word) => !other.has(word));
}

/** The Jaccard similarity of two sets. 0 for a name without an object. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / (one.size + other.size - shared);
}

/** Weights the words of each description by rarity, as a vector of length 1. */
function weighDescriptions(tools: readonly AssessedTool[]): Map<AssessedTool, ReadonlyMap<string, number>> {
  const holders = new Map<string, number>();
  for (const { descriptionStems } of tools) {
    for (const stem of new Set(descriptionStems)) holders.set(stem, (holders.get(stem) ?? 0) + 1);
  }
  return new Map(
    tools.map((tool) => {
      const weights = new Map<string, number>();
      for (const stem of new Set(tool.descriptionStems)) {
        weights.set(stem, Math.log(1 + tools.length / (holders.get(stem) ?? 1)));
      }
      const length = Math.sqrt(multiply(weights, weights));
      for (const [stem, weight] of weights) weights.set(stem, length === 0 ? 0 : weight / length);
      return [tool, weights];
    }),
  );
}

function multiply(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [stem, weight] of one) sum += weight * (other.get(stem) ?? 0);
  return sum;
}
