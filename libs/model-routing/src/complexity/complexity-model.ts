import { extractFeatures, featureNames } from './features.ts';
import weights from '../../../../models/complexity/weights.json' with { type: 'json' };

/** The weights that `training/complexity` fits and writes. Features are in the order of `featureNames`. */
export interface ComplexityWeights {
  readonly version: number;
  readonly features: readonly string[];
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
  /** Maps a raw score to the probability that a capable model is right and a cheap one is wrong: 1 / (1 + e^−(slope × raw + intercept)). */
  readonly calibration: { readonly slope: number; readonly intercept: number };
  /** Scores from which complexity is medium or high, until thresholds from an account's own requests exist. */
  readonly thresholds: ComplexityThresholds;
}

export interface ComplexityThresholds {
  readonly medium: number;
  readonly high: number;
}

export type ComplexityLevel = 'low' | 'medium' | 'high';

export interface ComplexityModel {
  /** A higher score means more complex. Only the order of scores is meaningful. */
  rawScore(text: string): number;
  /** The calibrated score, a probability from 0 to 1. */
  score(text: string): number;
  readonly thresholds: ComplexityThresholds;
}

/** Features are limited to this many deviations from the mean. Larger values were rare in the fit. */
const deviationsMax = 5;

/** @throws Error when the weights were fitted with different features. */
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

/** Deviations from the mean, limited to ±`deviationsMax`. The fit uses the same function. */
export function standardize(value: number, mean: number, deviation: number): number {
  return Math.min(deviationsMax, Math.max(-deviationsMax, (value - mean) / deviation));
}

export function chooseLevel(score: number, { medium, high }: ComplexityThresholds): ComplexityLevel {
  if (score >= high) return 'high';
  return score >= medium ? 'medium' : 'low';
}

let loaded: ComplexityModel | undefined;

/** The complexity model with the gateway's own weights. Loaded once. */
export function loadComplexityModel(): ComplexityModel {
  loaded ??= createComplexityModel(weights);
  return loaded;
}
