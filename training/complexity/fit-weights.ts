import { featureNames, standardize, type ComplexityWeights } from '@gateway/model-routing';

/**
 * A prompt's features, with the gain from the capable model. The gain is the capable model's correctness (0
 * or 1) minus the cheap model's correctness.
 */
export interface Sample {
  readonly features: Float64Array;
  readonly gain: number;
}

export type LinearWeights = Pick<ComplexityWeights, 'means' | 'deviations' | 'weights'>;

/**
 * The ridge penalty per sample. The penalty was chosen by results on held-out subjects, from values between 1
 * and 2,000 per thousand samples. Penalties from 150 to 900 hardly change the results, and a model with a high
 * penalty generalizes better.
 */
const penaltyPerSample = 0.6;
/**
 * Prior values of the weights, in standard deviations of the fitted score. Longer prompts benefit more from
 * the capable model, even on unseen data sets. Question sets rarely contain prompts that ask for a product or
 * a demonstration, so the sets give no evidence about such prompts.
 */
const beliefs: Readonly<Record<string, number>> = { characters: 0.35, taskWords: 0.4 };

/**
 * Fits a ridge regression of the gain on standardized features, centered on `beliefs`. The same samples
 * always give the same weights.
 */
export function fitWeights(samples: readonly Sample[]): LinearWeights {
  const { means, deviations } = describe(samples);
  const rows = samples.map(({ features }) =>
    features.map((value, at) => (isFitted(at) ? standardize(value, means[at] ?? 0, deviations[at] ?? 1) : 0)),
  );
  const meanGain = mean(samples.map(({ gain }) => gain));
  const gains = samples.map(({ gain }) => gain - meanGain);
  const fitted = solveRidge(rows, gains, penaltyPerSample * samples.length);
  const deviation = deviationOf(rows.map((row) => dot(row, fitted)));
  const weights = Array.from(
    fitted,
    (weight, at) => weight + (beliefs[featureNames[at] ?? ''] ?? 0) * deviation,
  );
  return { means, deviations, weights };
}

/**
 * Returns true for features with a fitted weight. Task words, such as “implement”, are too rare in the data
 * sets for fitted weights, so they keep the weights in `beliefs`.
 */
function isFitted(at: number): boolean {
  return featureNames[at]?.startsWith('task') !== true;
}

function describe(samples: readonly Sample[]): Pick<LinearWeights, 'means' | 'deviations'> {
  const columns = featureNames.map((_, at) => samples.map(({ features }) => features[at] ?? 0));
  return { means: columns.map(mean), deviations: columns.map((column) => deviationOf(column) || 1) };
}

function solveRidge(rows: readonly Float64Array[], gains: readonly number[], penalty: number): Float64Array {
  const size = featureNames.length;
  const right = new Float64Array(size);
  const matrix = Array.from({ length: size }, (_, at) => {
    const line = new Float64Array(size);
    line[at] = penalty;
    return line;
  });
  rows.forEach((row, at) => {
    const gain = gains[at] ?? 0;
    matrix.forEach((line, i) => {
      const value = row[i] ?? 0;
      right[i] = (right[i] ?? 0) + value * gain;
      for (let j = 0; j <= i; j += 1) line[j] = (line[j] ?? 0) + value * (row[j] ?? 0);
    });
  });
  return solveCholesky(matrix, right);
}

/** Solves A·x = b for a symmetric positive definite matrix A. Reads and overwrites the lower triangle of A. */
function solveCholesky(lower: readonly Float64Array[], right: Float64Array): Float64Array {
  const at = (i: number, j: number): number => lower[i]?.[j] ?? 0;
  lower.forEach((line, i) => {
    for (let j = 0; j <= i; j += 1) {
      let sum = at(i, j);
      for (let k = 0; k < j; k += 1) sum -= at(i, k) * at(j, k);
      line[j] = i === j ? Math.sqrt(sum) : sum / at(j, j);
    }
  });
  const found = new Float64Array(right.length);
  for (let i = 0; i < right.length; i += 1) {
    let rest = right[i] ?? 0;
    for (let k = 0; k < i; k += 1) rest -= at(i, k) * (found[k] ?? 0);
    found[i] = rest / at(i, i);
  }
  for (let i = right.length - 1; i >= 0; i -= 1) {
    let rest = found[i] ?? 0;
    for (let k = i + 1; k < right.length; k += 1) rest -= at(k, i) * (found[k] ?? 0);
    found[i] = rest / at(i, i);
  }
  return found;
}

export function dot(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviationOf(values: readonly number[]): number {
  const center = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - center) ** 2)));
}

/**
 * Returns a prompt's raw complexity score, before calibration. The score is computed as in the gateway, but
 * from features that are already extracted.
 */
export function scoreSample({ means, deviations, weights }: LinearWeights, features: Float64Array): number {
  let sum = 0;
  features.forEach((value, at) => {
    sum += (weights[at] ?? 0) * standardize(value, means[at] ?? 0, deviations[at] ?? 1);
  });
  return sum;
}
