import fc from 'fast-check';
import { RetryBudget } from './retry-budget.ts';

const windowMs = 60_000;

function budgetOf(options: { share: number; floor: number }) {
  let time = 1_000_000;
  const budget = new RetryBudget({ ...options, now: () => time });
  return { budget, pass: (ms: number) => (time += ms) };
}

describe('the retry budget', () => {
  it('never allows more than the configured share of extra calls, regardless of the pattern of failures', () => {
    const step = fc.record({ afterMs: fc.nat(300), fails: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 200, maxLength: 600 }), (steps) => {
        const { budget, pass } = budgetOf({ share: 0.2, floor: 0 });
        let extra = 0;
        for (const { afterMs, fails } of steps) {
          pass(afterMs);
          budget.countRequest('a');
          if (fails && budget.takeExtra('a')) extra += 1;
        }
        expect(extra).toBeLessThanOrEqual(steps.length * 0.2);
      }),
      { numRuns: 50 },
    );
  });

  it('allows a few extra calls even if requests are rare', () => {
    const { budget } = budgetOf({ share: 0.2, floor: 3 });
    budget.countRequest('a');
    expect([1, 2, 3, 4].map(() => budget.takeExtra('a'))).toEqual([true, true, true, false]);
  });

  it('allows extra calls again after some time', () => {
    const { budget, pass } = budgetOf({ share: 0.2, floor: 1 });
    expect([budget.takeExtra('a'), budget.takeExtra('a')]).toEqual([true, false]);
    pass(2 * windowMs);
    expect(budget.takeExtra('a')).toBe(true);
  });

  it('is separate for each account', () => {
    const { budget } = budgetOf({ share: 0.2, floor: 1 });
    expect([budget.takeExtra('a'), budget.takeExtra('a'), budget.takeExtra('b')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
