import { randomFrom } from '@gateway/testing';

/** A reproducible source of randomness. */
export class Random {
  /** Returns a number from 0 (included) to 1 (excluded). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('the list of choices is empty');
    return value;
  }

  list<Value>(countMax: number, each: () => Value): Value[] {
    return Array.from({ length: this.below(countMax + 1) }, each);
  }
}
