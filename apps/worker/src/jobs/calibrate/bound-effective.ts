import type { BoundedRecall } from '@gateway/contracts';
import { boundRecallBelow } from './measure-bucket.ts';
import { boundEffective } from './recovery-rate.ts';

/** Error probability of each bound. Each bound holds in 95 out of 100 cases. */
const tail = 0.05;
/**
 * Maximum number of conversations for which the exact test is used. For more conversations, the exact bound
 * and the binomial bound are almost equal.
 */
const exactMax = 400;
/** Number of values of the nuisance parameter that the test tries in its search for the worst case. */
const worstCases = 16;
const roundsMax = 40;
const precision = 1e-9;
/**
 * Factor by which the test weights a conversation that misses several tools. The loss of a conversation is less
 * certain with several missed tools than with one missed tool. The exact test is valid for any weight. The
 * factor 1.5 was chosen because the test then permits the most misses.
 */
const weightFactor = 1.5;
/**
 * Minimum recovery rate for the exact test. Below this rate, recovery rarely helps a conversation, so the binomial
 * bound is nearly as high as the exact bound.
 */
const recoveryMin = 0.1;

/** For one K (number of ranked tools), the number of conversations that miss tools. */
export interface MissCounts {
  readonly samples: number;
  /**
   * Number of conversations that miss exactly one tool. The field `more` is the number of conversations that
   * miss several tools.
   */
  readonly one: number;
  readonly more: number;
  /**
   * The sum of the losses of the conversations that miss tools. The loss of a conversation that misses m
   * tools is 1 − ρ^m, where ρ is the recovery rate.
   */
  readonly losses: number;
}

/**
 * Computes the lower and upper bound of effective recall at one value of K (the number of ranked tools). The lower
 * bound is exact for up to 400 conversations. For more conversations, `boundRecallBelow` computes a binomial lower
 * bound from the sum of the losses. The upper bound is always binomial.
 * @param recoveryRate the recovery rate ρ from which `losses` was computed
 */
export function boundEffectiveAt(counts: MissCounts, recoveryRate: number): BoundedRecall {
  const binomial = boundEffective(counts.samples, counts.losses);
  return isExact(counts, recoveryRate) ? { ...binomial, low: 1 - boundLoss(counts, recoveryRate) } : binomial;
}

/**
 * Returns the smallest mean loss for which at most the observed number of misses is too unlikely. The Illinois
 * variant of false position finds the root of the probability's logarithm, which is almost linear. The returned
 * loss is never below the root.
 */
function boundLoss(counts: MissCounts, recoveryRate: number): number {
  const excess = (loss: number): number =>
    Math.log(Math.max(Number.MIN_VALUE, chanceOfSoFew(counts, recoveryRate, loss)) / tail);
  let [below, above] = [0, 1 - boundRecallBelow(counts.samples, counts.one + counts.more)];
  let [high, low] = [-Math.log(tail), excess(above)];
  if (low > 0) [above, low] = [1, Math.log(Number.MIN_VALUE)];
  let wasLast: 'below' | 'above' | null = null;
  for (let round = 0; round < roundsMax && above - below > precision; round += 1) {
    const loss = below + ((above - below) * high) / (high - low);
    const found = excess(loss);
    // If one end of the interval stays the same twice, its function value is halved, so that this end moves next.
    if (found > 0) {
      [below, high] = [loss, found];
      if (wasLast === 'below') low /= 2;
      wasLast = 'below';
    } else {
      [above, low] = [loss, found];
      if (wasLast === 'above') high /= 2;
      wasLast = 'above';
    }
    if (found <= 0 && found > -precision) break;
  }
  return above;
}

/**
 * Whether the lower bound of effective recall meets the recall target. The test is equivalent to a
 * comparison of `boundEffectiveAt` with the target, but faster.
 */
export function meetsTarget(counts: MissCounts, recoveryRate: number, recallTarget: number): boolean {
  return isExact(counts, recoveryRate)
    ? chanceOfSoFew(counts, recoveryRate, 1 - recallTarget) <= tail
    : boundRecallBelow(counts.samples, counts.losses) >= recallTarget;
}

function isExact({ samples }: MissCounts, recoveryRate: number): boolean {
  return samples > 0 && samples <= exactMax && recoveryRate >= recoveryMin && recoveryRate < 1;
}

/**
 * Returns the maximum probability of at most the observed number of misses, for the mean loss `loss`. With
 * probability p₁, a conversation misses one tool and has the loss 1 − ρ (ρ is the recovery rate). With
 * probability p₂, a conversation misses several tools and has a loss of at most 1. The probabilities p₁ and
 * p₂ satisfy loss ≤ p₁(1 − ρ) + p₂ and p₁ + p₂ ≤ 1. The weighted count of misses is `one + w · more` with a
 * fixed weight w, and has a trinomial distribution. The test uses the worst pair (p₁, p₂) with the given mean
 * loss. The weighted count decreases as K (the number of ranked tools) grows, so the smallest K that passes
 * the test needs no statistical correction.
 */
function chanceOfSoFew({ samples, one, more }: MissCounts, recoveryRate: number, loss: number): number {
  const lossOfOne = 1 - recoveryRate;
  const weight = weightFactor / lossOfOne;
  const count = one + weight * more;
  const oneMax = Math.min(loss / lossOfOne, (1 - loss) / recoveryRate);
  let worst = 0;
  for (let at = 0; at <= worstCases; at += 1) {
    const chanceOne = (oneMax * at) / worstCases;
    const chanceMore = Math.max(0, loss - chanceOne * lossOfOne);
    worst = Math.max(worst, chanceUpTo(count, weight, samples, chanceOne, chanceMore));
  }
  return worst;
}

/** Returns the probability P(one + weight · more ≤ count) in a trinomial distribution. */
function chanceUpTo(
  count: number,
  weight: number,
  samples: number,
  chanceOne: number,
  chanceMore: number,
): number {
  let sum = 0;
  for (let more = 0; more <= Math.min(samples, Math.floor(count / weight + 1e-9)); more += 1) {
    const rest = samples - more;
    const most = Math.min(rest, Math.floor(count - weight * more + 1e-9));
    const share = chanceMore >= 1 ? 1 : chanceOne / (1 - chanceMore);
    sum += chanceOf(more, samples, chanceMore) * cumulate(most, rest, Math.min(1, share));
  }
  return sum;
}

/** Returns the probability P(X ≤ most) of a binomial distribution. */
function cumulate(most: number, samples: number, chance: number): number {
  if (most >= samples || chance <= 0) return 1;
  if (chance >= 1) return 0;
  // The code sums the opposite tail of the distribution, so that the first term does not underflow.
  if (chance > 0.5) return 1 - cumulateSmall(samples - most - 1, samples, 1 - chance);
  return cumulateSmall(most, samples, chance);
}

/** @param chance success probability of the binomial distribution, at most one half. */
function cumulateSmall(most: number, samples: number, chance: number): number {
  let term = Math.exp(samples * Math.log1p(-chance));
  let sum = term;
  const odds = chance / (1 - chance);
  for (let hits = 1; hits <= most; hits += 1) {
    term *= ((samples - hits + 1) / hits) * odds;
    sum += term;
  }
  return Math.min(1, sum);
}

/** The logarithms of the factorials of the numbers up to `exactMax`. */
const logFactorials = new Float64Array(exactMax + 1);
for (let n = 2; n <= exactMax; n += 1) logFactorials[n] = (logFactorials[n - 1] ?? 0) + Math.log(n);

/** Returns the probability P(X = hits) of a binomial distribution. */
function chanceOf(hits: number, samples: number, chance: number): number {
  if (chance <= 0) return hits === 0 ? 1 : 0;
  if (chance >= 1) return hits === samples ? 1 : 0;
  const ways =
    (logFactorials[samples] ?? 0) - (logFactorials[hits] ?? 0) - (logFactorials[samples - hits] ?? 0);
  return Math.exp(ways + hits * Math.log(chance) + (samples - hits) * Math.log1p(-chance));
}
