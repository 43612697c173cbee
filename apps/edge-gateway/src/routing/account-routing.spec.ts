import { chooseThresholds } from './account-routing.ts';
import { complexityBins } from './observations.ts';

const shipped = { medium: 0.175, high: 0.233 };
function countsAt(...bins: readonly (readonly [bin: number, count: number])[]): Float64Array {
  const counts = new Float64Array(complexityBins);
  for (const [bin, count] of bins) counts[bin] = count;
  return counts;
}

describe("an account's complexity thresholds", () => {
  it('equal the shipped thresholds without requests, and barely differ from them after a few requests', () => {
    expect(chooseThresholds(shipped, countsAt())).toEqual(shipped);
    const { medium } = chooseThresholds(shipped, countsAt([60, 3]));
    expect(Math.abs(medium - shipped.medium)).toBeLessThan(0.01);
  });

  it('follow the distribution of the account’s requests within bounds', () => {
    const harder = chooseThresholds(shipped, countsAt([19, 500], [24, 300], [30, 200]));
    expect(harder.medium).toBeGreaterThan(shipped.medium);
    expect(harder.high).toBeGreaterThan(shipped.high);
    const simple = chooseThresholds(shipped, countsAt([5, 100_000]));
    expect(simple.medium).toBeCloseTo(shipped.medium - 0.03);
    expect(simple.high).toBeCloseTo(shipped.high - 0.03);
  });
});
