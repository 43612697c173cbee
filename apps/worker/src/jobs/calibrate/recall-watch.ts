import type { ShadowSample } from './measure-bucket.ts';

export type WatchedSample = Pick<ShadowSample, 'neededK' | 'neededKs'>;

/** Learns what is usual, and computes how much likelier a conversation is after a fall. */
export interface RecallWatch {
  addUsual(sample: WatchedSample): void;
  fit(): Likelihood;
}

export interface Likelihood {
  /** The logarithm of the likelihood ratio at which a fall is reported. */
  readonly alarmAt: number;
  /** The logarithm of how much likelier a conversation is after the fall than before. */
  readonly ratioOf: (sample: WatchedSample) => number;
}

/**
 * Chooses the alarm threshold. A CUSUM has more false alarms with more information per conversation, in nats, and
 * exponentially fewer with a higher threshold (Siegmund, "Sequential analysis", 1985, chapter 2). Therefore the
 * threshold grows with that information.
 *
 * @param multiple is calibrated with `npm run eval:calibration`: about one in a hundred runs of 1,000 conversations
 * without a fall raises an alarm in either watch.
 */
export function chooseThreshold(multiple: number, nats: number): number {
  return Math.log(multiple * nats);
}

/** The drop in recall to detect, as a share. */
export const fall = 0.1;

const alarmMultiple = 600_000;

/** Detects a growing share of conversations that need more than K tools. */
export class MissWatch implements RecallWatch {
  readonly #k: number;
  #conversations = 0;
  #misses = 0;

  constructor(k: number) {
    this.#k = k;
  }

  addUsual(sample: WatchedSample): void {
    this.#conversations += 1;
    this.#misses += Number(sample.neededK > this.#k);
  }

  fit(): Likelihood {
    const before = (this.#misses + 0.5) / (this.#conversations + 1);
    const after = Math.min(0.99, before + fall);
    const [missed, held] = [Math.log(after / before), Math.log((1 - after) / (1 - before))];
    return {
      alarmAt: chooseThreshold(alarmMultiple, after * missed + (1 - after) * held),
      ratioOf: ({ neededK }) => (neededK > this.#k ? missed : held),
    };
  }
}
