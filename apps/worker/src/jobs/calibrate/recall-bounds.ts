import jstat from 'jstat';

/** Each bound holds in 95 of 100 cases. */
const tail = 0.05;

/**
 * The exact one-sided 95% lower bound of recall after `misses` among `samples` sessions (Clopper & Pearson, "The use of
 * confidence or fiducial limits illustrated in the case of the binomial", 1934, by way of the beta distribution's
 * quantile). So 90, 95 and 99% take 29, 59 and 299 samples without a miss.
 */
export function boundRecallBelow(samples: number, misses: number): number {
  return misses >= samples ? 0 : jstat.jStat.beta.inv(tail, samples - misses, misses + 1);
}

/** The exact one-sided 95% upper bound. */
export function boundRecallAbove(samples: number, misses: number): number {
  return misses <= 0 ? 1 : jstat.jStat.beta.inv(1 - tail, samples - misses + 1, misses);
}
