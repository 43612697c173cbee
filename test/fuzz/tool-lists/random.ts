import { randomFrom } from '@gateway/testing';

/** A reproducible source of choices. */
export class Random {
  /** A number from 0 to 1, without 1. */
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
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }

  list<Value>(countMax: number, each: () => Value): Value[] {
    return Array.from({ length: this.below(countMax + 1) }, each);
  }
}
