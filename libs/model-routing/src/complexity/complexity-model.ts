import { extractFeatures, featureNames } from './features.ts';
import weights from '../../../../models/complexity/weights.json' with { type: 'json' };

/** The weights that `training/complexity` fitted and wrote to the file. Features are in the order of `featureNames`. */
export interface ComplexityWeights {
  readonly version: number;
  readonly features: readonly string[];
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
  /**
   * Maps a raw score to the probability that a capable model answers correctly and a cheap model does not.
   * The formula is 1 / (1 + e^−(slope × raw + intercept)).
   */
  readonly calibration: { readonly slope: number; readonly intercept: number };
  /**
   * Score thresholds for medium and high complexity. The shipped thresholds apply until thresholds have been
   * derived from the account's own requests.
   */
  readonly thresholds: ComplexityThresholds;
}

export interface ComplexityThresholds {
  readonly medium: number;
  readonly high: number;
}

export type ComplexityLevel = 'low' | 'medium' | 'high';

export interface ComplexityModel {
  /**
   * The complexity score before calibration. A higher raw score means a more complex request. Only the order
   * of raw scores is meaningful.
   */
  rawScore(text: string): number;
  /** The calibrated score, a probability from 0 to 1. */
  score(text: string): number;
  readonly thresholds: ComplexityThresholds;
}

/**
 * Maximum deviation of a feature from the mean, in standard deviations. Deviations above the maximum are
 * capped, because they were rare in the training data.
 */
const deviationsMax = 5;

/** @throws Error if the weights were fitted with different features. */
export function createComplexityModel(fitted: ComplexityWeights): ComplexityModel {
  const { features, means, deviations, weights, calibration, thresholds } = fitted;
  if (features.join() !== featureNames.join()) {
    throw new Error(
      'models/complexity/weights.json was fitted with different features; run the fit in training/complexity again',
    );
  }
  const rawScore = (text: string): number => {
    const values = extractFeatures(text);
    let sum = 0;
    for (let at = 0; at < values.length; at += 1) {
      sum += (weights[at] ?? 0) * standardize(values[at] ?? 0, means[at] ?? 0, deviations[at] ?? 1);
    }
    return sum;
  };
  const score = (text: string): number =>
    1 / (1 + Math.exp(-(calibration.slope * rawScore(text) + calibration.intercept)));
  return { rawScore, score, thresholds };
}

/**
 * Returns the deviations of the features from their means, capped at ±`deviationsMax`. The training code also
 * calls `standardize`.
 */
export function standardize(value: number, mean: number, deviation: number): number {
  return Math.min(deviationsMax, Math.max(-deviationsMax, (value - mean) / deviation));
}

export function chooseLevel(score: number, { medium, high }: ComplexityThresholds): ComplexityLevel {
  if (score >= high) return 'high';
  return score >= medium ? 'medium' : 'low';
}

let loaded: ComplexityModel | undefined;

/** The complexity model with the gateway's shipped weights. The weights are loaded only once. */
export function loadComplexityModel(): ComplexityModel {
  loaded ??= createComplexityModel(weights);
  return loaded;
}
