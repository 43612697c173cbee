import type { Likelihood, RecallWatch, WatchedSample } from './recall-watch.ts';
import { chooseThreshold, fall } from './recall-watch.ts';

const alarmMultiple = 180_000;
const stretchMax = 20;
const rounds = 30;

/**
 * Watches where the ranks of sessions stand among the usual ones: after a fall every depth is stretched by the factor that makes
 * recall at K ten points lower (which raises the share of deeper ranks to a power; Lehmann, "The power of rank tests",
 * 1953). So it needs no shape of the distribution. All ranks of a session count: its deepest alone tells half as much.
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
    const { sessions } = this.#usual;
    const stretch = chooseStretch(sessions, this.#usual.depthBeyond(this.#k));
    const ratioOf = (ranks: readonly number[]): number => {
      const depth = ranks.reduce((sum, rank) => sum + this.#usual.depthOf(rank), 0);
      return depth * (1 - 1 / stretch) - ranks.length * Math.log(stretch);
    };
    const weight = chooseWeight(sessions.map(ratioOf));
    const ranks = sessions.reduce((sum, each) => sum + each.length, 0) / sessions.length;
    return {
      alarmAt: chooseThreshold(alarmMultiple, weight * ranks * (stretch - 1 - Math.log(stretch))),
      ratioOf: ({ neededKs }) => weight * ratioOf(neededKs),
    };
  }
}

function chooseStretch(sessions: readonly (readonly number[])[], depthBeyondK: number): number {
  const missShareAt = (stretch: number): number => {
    const isIn = 1 - Math.exp(-depthBeyondK / stretch);
    return sessions.reduce((sum, ranks) => sum + 1 - isIn ** ranks.length, 0) / sessions.length;
  };
  const wanted = missShareAt(1) + fall;
  return bisect(1, stretchMax, (stretch) => missShareAt(stretch) < wanted);
}

/**
 * Calls of a session hang together, so they tell less than as many would that do not. A likelihood ratio has the mean 1
 * while nothing has changed: the weight is the power to which that holds for the usual sessions, at most 1.
 */
function chooseWeight(ratios: readonly number[]): number {
  const sumAt = (weight: number): number => ratios.reduce((sum, ratio) => sum + Math.exp(weight * ratio), 0);
  return bisect(0, 1, (weight) => sumAt(weight) <= ratios.length);
}

/** The place up to which something holds, between where it does and where it may not. */
function bisect(low: number, high: number, holdsAt: (place: number) => boolean): number {
  let [below, above] = [low, high];
  for (let round = 0; round < rounds; round += 1) {
    const middle = (below + above) / 2;
    if (holdsAt(middle)) below = middle;
    else above = middle;
  }
  return above;
}

/** Ranks of sessions that are taken for usual: what others are held against. */
class RankReference {
  readonly sessions: (readonly number[])[] = [];
  /** Of all sessions, ascending. */
  readonly #ranks: number[] = [];

  add(ranks: readonly number[]): void {
    this.sessions.push(ranks);
    for (const rank of ranks) this.#ranks.splice(this.#countBelow(rank), 0, rank);
  }

  /**
   * How deep a rank is: minus the logarithm of the share of the usual ranks that are as deep or deeper, ties by half. Of
   * the usual ranks themselves it is distributed as a waiting time is, with mean 1, whatever their own distribution.
   */
  depthOf(rank: number): number {
    const total = this.#ranks.length;
    const atLeast = total - this.#countBelow(rank);
    return -Math.log((atLeast + this.#countBeyond(rank) + 1) / (2 * total + 2));
  }

  /** The depth from which on ranks are beyond `k`. */
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
