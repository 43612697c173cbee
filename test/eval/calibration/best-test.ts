import jstat from 'jstat';

/**
 * The power of the best possible test to distinguish two miss probabilities, `before` and `after`. The test
 * sees the misses in `samples` conversations and has an error probability of `level`. By Neyman–Pearson, the
 * best test decides for `after` above some number of misses, with randomization at that number.
 */
export function powerOfBestTest(
  samples: number,
  { before, after, level }: { readonly before: number; readonly after: number; readonly level: number },
): number {
  let [wrong, right] = [0, 0];
  for (let misses = samples; misses >= 0; misses -= 1) {
    const [chanceBefore, chanceAfter] = [chanceOf(misses, samples, before), chanceOf(misses, samples, after)];
    if (wrong + chanceBefore > level) return right + (chanceAfter * (level - wrong)) / chanceBefore;
    wrong += chanceBefore;
    right += chanceAfter;
  }
  return right;
}

/** The probability of exactly this many misses, given the miss probability. */
function chanceOf(misses: number, samples: number, chance: number): number {
  let logarithm = misses * Math.log(chance) + (samples - misses) * Math.log(1 - chance);
  for (let at = 1; at <= misses; at += 1) logarithm += Math.log((samples - misses + at) / at);
  return Math.exp(logarithm);
}

/**
 * The probability of at most this many misses among the conversations. It is the error probability of a bound
 * that tolerates one miss fewer.
 */
export function chanceUpTo(misses: number, samples: number, chance: number): number {
  let sum = 0;
  for (let count = 0; count <= misses; count += 1) sum += chanceOf(count, samples, chance);
  return sum;
}

/**
 * The mean ratio between the best 95% bound and the truth, if depths are exponential with an unknown rate.
 * Twice the sum of such depths, divided by their scale, has a χ² distribution with 2 × samples degrees of
 * freedom. So the ratio is 2n / χ²₀.₀₅(2n) for any target. A bound that must hold for every distribution
 * cannot be smaller.
 */
export function keptKnowingShape(samples: number): number {
  return (2 * samples) / jstat.jStat.chisquare.inv(0.05, 2 * samples);
}
