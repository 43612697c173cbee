import type { ComplexityThresholds, ComplexityWeights } from '@gateway/model-routing';

/**
 * A prompt and its raw complexity score, computed with weights that were not trained on the prompt.
 * `needsCapable` is true if only the capable model's answer was correct.
 */
export interface ScoredPrompt {
  readonly raw: number;
  readonly needsCapable: boolean;
}

const steps = 50;

/**
 * Fits a logistic regression on the raw complexity score, with Newton's method (Platt, "Probabilistic outputs
 * …", 1999).
 */
export function calibrate(prompts: readonly ScoredPrompt[]): ComplexityWeights['calibration'] {
  let [slope, intercept] = [1, 0];
  for (let step = 0; step < steps; step += 1) {
    let [gradientSlope, gradientIntercept, ss, si, ii] = [0, 0, 1e-9, 0, 1e-9];
    for (const { raw, needsCapable } of prompts) {
      const chance = probability(raw, { slope, intercept });
      const error = (needsCapable ? 1 : 0) - chance;
      const weight = chance * (1 - chance);
      gradientSlope += error * raw;
      gradientIntercept += error;
      ss += weight * raw * raw;
      si += weight * raw;
      ii += weight;
    }
    const determinant = ss * ii - si * si;
    slope += (ii * gradientSlope - si * gradientIntercept) / determinant;
    intercept += (ss * gradientIntercept - si * gradientSlope) / determinant;
  }
  return { slope, intercept };
}

export function probability(raw: number, { slope, intercept }: ComplexityWeights['calibration']): number {
  return 1 / (1 + Math.exp(-(slope * raw + intercept)));
}

/**
 * Quantiles of the complexity score. Half of the prompts are considered to have low complexity, and one fifth
 * high complexity.
 */
const quantiles = { medium: 0.5, high: 0.8 } as const;

export function chooseThresholds(scores: readonly number[]): ComplexityThresholds {
  const sorted = scores.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { medium: at(quantiles.medium), high: at(quantiles.high) };
}

/** Returns the mean difference between predicted and observed probabilities in ten bins of equal size. */
export function calibrationError(
  pairs: readonly { readonly chance: number; readonly came: boolean }[],
): number {
  const sorted = pairs.toSorted((one, other) => one.chance - other.chance);
  const size = Math.ceil(sorted.length / 10);
  let error = 0;
  for (let from = 0; from < sorted.length; from += size) {
    const bin = sorted.slice(from, from + size);
    const predicted = bin.reduce((sum, { chance }) => sum + chance, 0);
    error += Math.abs(predicted - bin.filter(({ came }) => came).length);
  }
  return error / sorted.length;
}
