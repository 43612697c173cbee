import type { ComplexityThresholds } from '@gateway/model-routing';

/** Shares of an account's requests that are below each threshold: as they are of the prompts that the shipped ones come from. */
const shares = { medium: 0.5, high: 0.8 } as const;
/** How many requests the shipped thresholds are worth. */
const priorRequests = 200;
/** No account's thresholds move further than this: simple requests alone make none of them complex. */
const shiftMax = 0.03;

/**
 * Thresholds for one account: the shipped ones, moved towards where its own requests divide. What is complex for one account is
 * daily work for another.
 *
 * @param counts requests by bin of complexity, over 0 to 1.
 */
export function chooseThresholds(shipped: ComplexityThresholds, counts: Float64Array): ComplexityThresholds {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < 1) return shipped;
  const weight = total / (total + priorRequests);
  const move = (before: number, share: number): number => {
    const own = quantileOf(counts, share * total);
    const moved = before + (own - before) * weight;
    return Math.min(before + shiftMax, Math.max(before - shiftMax, moved));
  };
  return { medium: move(shipped.medium, shares.medium), high: move(shipped.high, shares.high) };
}

/** The score below which so many requests are, taken to be spread evenly within a bin. */
function quantileOf(counts: Float64Array, rank: number): number {
  let below = 0;
  for (const [bin, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) return (bin + (rank - below) / count) / counts.length;
    below += count;
  }
  return 1;
}
