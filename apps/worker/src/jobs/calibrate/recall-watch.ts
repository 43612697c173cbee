import { neededKOf, type ShadowSample } from './measure-bucket.ts';

export type WatchedSample = Pick<ShadowSample, 'neededKs'>;

/**
 * Learns from reference conversations, and computes how much more likely a conversation is after a fall in
 * recall.
 */
export interface RecallWatch {
  addUsual(sample: WatchedSample): void;
  fit(): Likelihood;
}

export interface Likelihood {
  /** A drop is reported when the logarithm of the likelihood ratio reaches this value. */
  readonly alarmAt: number;
  /** The logarithm of how much more likely a conversation is after the fall than before it. */
  readonly ratioOf: (sample: WatchedSample) => number;
}

/**
 * Chooses the alarm threshold. A CUSUM raises more false alarms the more information (in nats) each
 * conversation contains, and exponentially fewer with a higher threshold (Siegmund, "Sequential analysis",
 * 1985, chapter 2). The threshold therefore grows with that information.
 * @param multiple is calibrated with `npm run eval:calibration`: in about one in a hundred runs of 1,000
 * conversations without a fall, either watch raises an alarm.
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
    this.#misses += Number(neededKOf(sample) > this.#k);
  }

  fit(): Likelihood {
    const before = (this.#misses + 0.5) / (this.#conversations + 1);
    const after = Math.min(0.99, before + fall);
    const [missed, held] = [Math.log(after / before), Math.log((1 - after) / (1 - before))];
    return {
      alarmAt: chooseThreshold(alarmMultiple, after * missed + (1 - after) * held),
      ratioOf: ({ neededKs }) => (neededKOf({ neededKs }) > this.#k ? missed : held),
    };
  }
}
