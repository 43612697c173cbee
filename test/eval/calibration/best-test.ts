import jstat from 'jstat';

/**
 * How likely the best of all tests tells `after` from `before`, two chances of a miss, by the misses of `samples` sessions, if it
 * may be wrong with probability `level`. By Neyman and Pearson it is the one that says so from some number of misses on (and
 * by lot at that number).
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

/** Of so many misses, at a chance of each. */
function chanceOf(misses: number, samples: number, chance: number): number {
  let logarithm = misses * Math.log(chance) + (samples - misses) * Math.log(1 - chance);
  for (let at = 1; at <= misses; at += 1) logarithm += Math.log((samples - misses + at) / at);
  return Math.exp(logarithm);
}

/** Chance that at most so many sessions are missed: that a bound with one miss more than it bears is wrong. */
export function chanceUpTo(misses: number, samples: number, chance: number): number {
  let sum = 0;
  for (let count = 0; count <= misses; count += 1) sum += chanceOf(count, samples, chance);
  return sum;
}

/**
 * What the best 95% bound keeps on the average beside who knows it all, where depths fall off exponentially and only how fast
 * is unknown: twice the sum of such depths, over their scale, is distributed as χ² with 2 × samples degrees of freedom, so it
 * is 2n / χ²₀.₀₅(2n), for any target. A bound that must hold for every shape keeps no less.
 */
export function keptKnowingShape(samples: number): number {
  return (2 * samples) / jstat.jStat.chisquare.inv(0.05, 2 * samples);
}
