import {
  chooseThreshold,
  fall,
  type Likelihood,
  type RecallWatch,
  type WatchedSample,
} from './recall-watch.ts';

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
