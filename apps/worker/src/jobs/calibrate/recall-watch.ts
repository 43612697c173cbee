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
