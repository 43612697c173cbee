import { randomFrom } from '@gateway/testing';
import { boundEffectiveAt, meetsTarget, type MissCounts } from './bound-effective.ts';
import { boundRecallBelow } from './measure-bucket.ts';

const counts = (samples: number, one: number, more: number, rate = 0.5): MissCounts => ({
  ...{ samples, one, more },
  losses: one * (1 - rate) + more * (1 - rate ** 2),
});

describe('the lower bound of effective recall', () => {
  it('equals the binomial bound if no conversation misses a tool', () => {
    for (const samples of [29, 59, 299])
      expect(boundEffectiveAt(counts(samples, 0, 0), 0.5).low).toBeCloseTo(boundRecallBelow(samples, 0), 7);
  });

  it('allows more conversations with one missed tool than a binomial bound on the losses, but only few conversations with two missed tools', () => {
    expect(meetsTarget(counts(100, 4, 0), 0.5, 0.95)).toBe(true);
    expect(meetsTarget(counts(100, 1, 1), 0.5, 0.95)).toBe(true);
    expect(meetsTarget(counts(100, 5, 0), 0.5, 0.95)).toBe(false);
    expect(meetsTarget(counts(100, 0, 2), 0.5, 0.95)).toBe(false);
    expect(boundRecallBelow(100, 4 * 0.5)).toBeLessThan(0.95);
  });

  it('gives the same result as the check against a target, and falls with every miss', () => {
    for (const [samples, one, more] of [
      [100, 4, 0],
      [100, 1, 1],
      [60, 7, 2],
      [300, 12, 3],
      [20, 20, 0],
      [20, 0, 20],
    ] as const) {
      const { low } = boundEffectiveAt(counts(samples, one, more), 0.6);
      if (low > 0.001) expect(meetsTarget(counts(samples, one, more), 0.6, low - 1e-6)).toBe(true);
      expect(meetsTarget(counts(samples, one, more), 0.6, low + 1e-3)).toBe(false);
      if (one < samples && more < samples)
        expect(boundEffectiveAt(counts(samples, one + 1, more), 0.6).low).toBeLessThan(low);
    }
  });

  // The expected bounds come from a slower bisection search that tries ten times as many pairs (p₁, p₂).
  it.each([
    [20, 20, 0, 0.6, 0.516535],
    [20, 10, 8, 0.5, 0.220983],
    [20, 2, 18, 0.5, 0.009033],
  ])(
    'covers the worst case if most of %d conversations miss tools (%d miss one tool, %d miss several)',
    (...row) => {
      const [samples, one, more, rate, low] = row;
      expect(boundEffectiveAt(counts(samples, one, more, rate), rate).low).toBeCloseTo(low, 5);
    },
  );

  it('is a single binomial bound if recovery is off', () => {
    expect(boundEffectiveAt(counts(100, 3, 1, 0), 0).low).toBeCloseTo(boundRecallBelow(100, 4), 9);
  });

  // The test makes 2,000 draws, so the standard error of a measured share of 5% is half a percentage point.
  it.each([
    ['single misses', 0.1, 0],
    ['double misses', 0, 0.05],
    ['both', 0.05, 0.025],
    ['mostly double misses', 0.02, 0.04],
    ['mostly single misses', 0.08, 0.01],
  ])('exceeds the true recall in at most 5%% of draws with %s', (_, chanceOne, chanceMore) => {
    const random = randomFrom(7);
    // In the worst case, every conversation that misses several tools has the loss 1.
    const recall = 1 - (chanceOne * 0.5 + chanceMore);
    for (const samples of [50, 100, 200]) {
      let wrong = 0;
      for (let draw = 0; draw < 2_000; draw += 1) {
        let [one, more] = [0, 0];
        for (let at = 0; at < samples; at += 1) {
          const value = random();
          if (value < chanceMore) more += 1;
          else if (value < chanceMore + chanceOne) one += 1;
        }
        // A target slightly above the true recall must fail the test.
        wrong += Number(meetsTarget(counts(samples, one, more), 0.5, recall + 1e-9));
      }
      expect(wrong / 2_000).toBeLessThan(0.062);
    }
  });
});
