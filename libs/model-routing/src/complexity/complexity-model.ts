import { extractFeatures, featureNames } from './features.ts';
import weights from '../../../../models/complexity/weights.json' with { type: 'json' };

/** Weights as `training/complexity` fits and writes them. Features are in the order of `featureNames`. */
export interface ComplexityWeights {
  readonly version: number;
  readonly features: readonly string[];
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
  /** Raw score → probability that a capable model is right where a cheap one is wrong: 1 / (1 + e^−(slope × raw + intercept)). */
  readonly calibration: { readonly slope: number; readonly intercept: number };
  /** Scores above which a request is of medium and of high complexity, before an account has requests of its own. */
  readonly thresholds: ComplexityThresholds;
}

export interface ComplexityThresholds {
  readonly medium: number;
  readonly high: number;
}

export type ComplexityLevel = 'low' | 'medium' | 'high';

export interface ComplexityModel {
  /** Higher asks for more. Orders texts; says nothing by itself. */
  rawScore(text: string): number;
  /** The same as a probability, 0 to 1. */
  score(text: string): number;
  readonly thresholds: ComplexityThresholds;
}

/** Beyond what most texts of the fit showed, more of a thing says no more. */
const deviationsMax = 5;

/** @throws Error when the weights were fitted on other features. */
export function createComplexityModel(fitted: ComplexityWeights): ComplexityModel {
  const { features, means, deviations, weights, calibration, thresholds } = fitted;
  if (features.join() !== featureNames.join()) {
    throw new Error('the weights of the complexity score are of other features: fit them again');
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

/** In deviations from the mean, within bounds. The fit sees features the same way. */
export function standardize(value: number, mean: number, deviation: number): number {
  return Math.min(deviationsMax, Math.max(-deviationsMax, (value - mean) / deviation));
}

export function chooseLevel(score: number, { medium, high }: ComplexityThresholds): ComplexityLevel {
  if (score >= high) return 'high';
  return score >= medium ? 'medium' : 'low';
}

let loaded: ComplexityModel | undefined;

/** The score with the weights that ship with the gateway. */
export function loadComplexityModel(): ComplexityModel {
  loaded ??= createComplexityModel(weights);
  return loaded;
}
