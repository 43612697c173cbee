import { neededKOf } from './measure-bucket.ts';

/**
 * A shadow conversation with the K (number of ranked tools) that each needed tool requires, as in `ShadowSample`.
 */
export interface WatchedSample {
  readonly neededKs: readonly number[];
}

/**
 * Estimates the usual recall from reference conversations. For each later conversation, the watch computes the
 * likelihood ratio of a drop in recall.
 */
export interface RecallWatch {
  addUsual(sample: WatchedSample): void;
  fit(): Likelihood;
}

export interface Likelihood {
  /** The mean information (in nats) of one conversation after the drop in recall. */
  readonly nats: number;
  /**
   * The logarithm of a likelihood ratio. The ratio is the probability of the observed conversation
   * after a drop in recall, divided by its probability before the drop.
   */
  readonly ratioOf: (sample: WatchedSample) => number;
}

/** The drop in recall to detect, as a share. */
export const fall = 0.1;

/** Detects a rise in the share of conversations that need more than K ranked tools. */
export class MissWatch implements RecallWatch {
  readonly #k: number;
  #conversations = 0;
  #misses = 0;

  constructor(k: number) {
    this.#k = k;
  }

  addUsual(sample: WatchedSample): void {
    this.#conversations += 1;
    this.#misses += Number(neededKOf(sample) > this.#k);
  }

  fit(): Likelihood {
    const before = (this.#misses + 0.5) / (this.#conversations + 1);
    const { hit, none, nats } = binaryRatio(before, Math.min(0.99, before + fall));
    return { nats, ratioOf: (sample) => (neededKOf(sample) > this.#k ? hit : none) };
  }
}

/** Returns two log-likelihood ratios for an event that becomes more likely: if it occurs, and if it does not. */
export function binaryRatio(before: number, after: number): { hit: number; none: number; nats: number } {
  const [hit, none] = [Math.log(after / before), Math.log((1 - after) / (1 - before))];
  return { hit, none, nats: after * hit + (1 - after) * none };
}

const stretchMax = 20;
/** Number of bisection steps. For an interval of length 20 or less, the result is exact to 0.00002. */
const rounds = 20;

/**
 * Detects when tool ranks in conversations get worse. The test models a drop in recall by multiplying the
 * depth of every rank by a factor. The factor is chosen so that recall at K falls by ten percentage points.
 * In statistical terms, the share of deeper ranks is raised to a power (Lehmann, "The power of rank tests",
 * 1953). The test works for any distribution of ranks. The test uses all ranks in a conversation, because
 * the deepest rank carries only half of the information.
 */
export class RankWatch implements RecallWatch {
  readonly #k: number;
  readonly #usual = new RankReference();

  constructor(k: number) {
    this.#k = k;
  }

  addUsual({ neededKs }: WatchedSample): void {
    this.#usual.add(neededKs);
  }

  fit(): Likelihood {
    const { conversations } = this.#usual;
    const stretch = chooseStretch(conversations, this.#usual.depthBeyond(this.#k));
    const ratioOf = (ranks: readonly number[]): number => {
      const depth = ranks.reduce((sum, rank) => sum + this.#usual.depthOf(rank), 0);
      return depth * (1 - 1 / stretch) - ranks.length * Math.log(stretch);
    };
    const weight = chooseWeight(conversations.map(ratioOf));
    const ranks = conversations.reduce((sum, each) => sum + each.length, 0) / conversations.length;
    return {
      nats: weight * ranks * (stretch - 1 - Math.log(stretch)),
      ratioOf: ({ neededKs }) => weight * ratioOf(neededKs),
    };
  }
}

function chooseStretch(conversations: readonly (readonly number[])[], depthBeyondK: number): number {
  const counts = new Map<number, number>();
  for (const { length } of conversations) counts.set(length, (counts.get(length) ?? 0) + 1);
  const missShareAt = (stretch: number): number => {
    const isIn = 1 - Math.exp(-depthBeyondK / stretch);
    let missed = 0;
    for (const [ranks, count] of counts) missed += count * (1 - isIn ** ranks);
    return missed / conversations.length;
  };
  const wanted = missShareAt(1) + fall;
  return bisect(1, stretchMax, (stretch) => missShareAt(stretch) < wanted);
}

/**
 * The tool calls of a conversation are correlated, so they carry less information than independent tool calls.
 * Without a change in recall, the expected value of a likelihood ratio is 1. Returns the largest exponent (at
 * most 1) for which the mean ratio of the reference conversations is at most 1.
 */
function chooseWeight(ratios: readonly number[]): number {
  const sumAt = (weight: number): number => ratios.reduce((sum, ratio) => sum + Math.exp(weight * ratio), 0);
  return bisect(0, 1, (weight) => sumAt(weight) <= ratios.length);
}

/** Finds the largest value between `low` and `high` for which a condition holds. */
function bisect(low: number, high: number, holdsAt: (place: number) => boolean): number {
  let [below, above] = [low, high];
  for (let round = 0; round < rounds; round += 1) {
    const middle = (below + above) / 2;
    if (holdsAt(middle)) below = middle;
    else above = middle;
  }
  return above;
}

/** The tool ranks in the reference conversations. The test compares new conversations with the reference. */
class RankReference {
  readonly conversations: (readonly number[])[] = [];
  /** All ranks of the reference conversations in ascending order. */
  readonly #ranks: number[] = [];

  add(ranks: readonly number[]): void {
    this.conversations.push(ranks);
    for (const rank of ranks) this.#ranks.splice(this.#countBelow(rank), 0, rank);
  }

  /**
   * The depth of a rank is −log s, where s is the share of reference ranks that are at least as deep. A
   * reference rank equal to the given rank counts as half. Regardless of the distribution of the ranks, the
   * depths of the reference ranks are exponentially distributed with mean 1.
   */
  depthOf(rank: number): number {
    const total = this.#ranks.length;
    const atLeast = total - this.#countBelow(rank);
    return -Math.log((atLeast + this.#countBeyond(rank) + 1) / (2 * total + 2));
  }

  /** The depth at which ranks start to exceed `k`. */
  depthBeyond(k: number): number {
    return -Math.log((this.#countBeyond(k) + 0.5) / (this.#ranks.length + 1));
  }

  #countBeyond(rank: number): number {
    return this.#ranks.length - this.#countBelow(rank + 0.5);
  }

  #countBelow(rank: number): number {
    let [low, high] = [0, this.#ranks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranks[middle] ?? Infinity) < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
