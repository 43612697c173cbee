import type { ShadowSample } from './measure-bucket.ts';

export type WatchedSample = Pick<ShadowSample, 'neededK' | 'neededKs'>;

/** What is usual, and how much likelier something is after a fall. */
export interface RecallWatch {
  addUsual(sample: WatchedSample): void;
  fit(): Likelihood;
}

export interface Likelihood {
  /** The logarithm of a likelihood ratio from which on recall has fallen. */
  readonly alarmAt: number;
  /** Logarithm of how much likelier a session is after the fall than before. */
  readonly ratioOf: (sample: WatchedSample) => number;
}

/**
 * False alarms of a CUSUM come in proportion to what a session tells of the fall, in nats, and to one in its threshold
 * (Siegmund, "Sequential analysis", 1985, chapter 2). So the threshold is a multiple of what a session tells.
 *
 * @param multiple such that of a hundred runs of 1,000 sessions without a fall about one has an alarm of either watch, by
 * `npm run eval:calibration`.
 */
export function chooseThreshold(multiple: number, nats: number): number {
  return Math.log(multiple * nats);
}

/** The fall of recall that is watched for. */
export const fall = 0.1;

const alarmMultiple = 600_000;

/** Watches for sessions that K does not suffice for. */
export class MissWatch implements RecallWatch {
  readonly #k: number;
  #sessions = 0;
  #misses = 0;

  constructor(k: number) {
    this.#k = k;
  }

  addUsual(sample: WatchedSample): void {
    this.#sessions += 1;
    this.#misses += Number(sample.neededK > this.#k);
  }

  fit(): Likelihood {
    const before = (this.#misses + 0.5) / (this.#sessions + 1);
    const after = Math.min(0.99, before + fall);
    const [missed, held] = [Math.log(after / before), Math.log((1 - after) / (1 - before))];
    return {
      alarmAt: chooseThreshold(alarmMultiple, after * missed + (1 - after) * held),
      ratioOf: ({ neededK }) => (neededK > this.#k ? missed : held),
    };
  }
}
