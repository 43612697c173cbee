import { shuffle } from '@gateway/testing';
import type { RankedPool } from './rank-paths.ts';

/**
 * The share of tools that the gateway would send at a given recall target, after calibration on other
 * questions of the same set.
 */
export interface KeepFigures {
  readonly recall: number;
  /** The share of the tools that are forwarded. */
  readonly tools: number;
  /** The forwarded share of the tool definitions' tokens. */
  readonly tokens: number;
}

export interface KeepSample {
  readonly ranked: RankedPool;
  /** The tokens of each candidate tool's definition. */
  readonly tokens: readonly number[];
}

const calibrationSamples = 100;
const splits = 5;
const seed = 20_261_120;

/**
 * Calibrates with split conformal risk control (Angelopoulos et al., "Conformal Risk Control", 2022). The
 * calibrated value is the distance between a tool's score and the best score. Calibration chooses the smallest
 * distance at which the mean loss of needed tools is at most 1 − target. This mean covers the 100 samples from
 * the set and one added sample with a loss of 1. The shares are then measured on the set's remaining questions.
 * All of this is done in five seeded splits.
 */
export function measureKeeping(samples: readonly KeepSample[], target: number): KeepFigures | undefined {
  const size = Math.min(calibrationSamples, Math.floor(samples.length / 2));
  if (size < 20) return undefined;
  const outcomes = Array.from({ length: splits }, (_, split) => {
    const shuffled = shuffle(samples, seed + split);
    const distance = chooseDistance(shuffled.slice(0, size), target);
    return mean(shuffled.slice(size).map((sample) => applyDistance(sample, distance)));
  });
  return mean(outcomes);
}

/**
 * Returns the difference between the best score and the score of each needed tool. A needed tool's score is the
 * best score among its alternatives.
 */
function distancesOf({ scores, goldPlaces }: RankedPool): number[] {
  const top = scores.reduce((best, score) => Math.max(best, score), -Infinity);
  return goldPlaces.map((places) => Math.min(...places.map((place) => top - (scores[place] ?? -Infinity))));
}

function chooseDistance(samples: readonly KeepSample[], target: number): number {
  const losses = samples
    .flatMap(({ ranked }) => {
      const distances = distancesOf(ranked);
      return distances.map((distance) => ({ distance, loss: 1 / distances.length }));
    })
    .sort((one, other) => other.distance - one.distance);
  // The largest distance loses no needed tool.
  // Each step to the next smaller distance loses one more needed tool.
  const lossMax = (1 - target) * (samples.length + 1) - 1;
  let lost = 0;
  for (const { distance, loss } of losses) {
    lost += loss;
    if (lost > lossMax + 1e-9) return lossMax < 0 ? Infinity : distance;
  }
  return 0;
}

function applyDistance({ ranked, tokens }: KeepSample, distanceMax: number): KeepFigures {
  const { scores } = ranked;
  const distances = distancesOf(ranked);
  const top = scores.reduce((best, score) => Math.max(best, score), -Infinity);
  let kept = 0;
  let tokensKept = 0;
  let tokensAll = 0;
  scores.forEach((score, at) => {
    tokensAll += tokens[at] ?? 0;
    if (top - score > distanceMax) return;
    kept += 1;
    tokensKept += tokens[at] ?? 0;
  });
  return {
    recall: distances.filter((distance) => distance <= distanceMax).length / distances.length,
    tools: kept / scores.length,
    tokens: tokensKept / Math.max(1, tokensAll),
  };
}

function mean(all: readonly KeepFigures[]): KeepFigures {
  const of = (key: keyof KeepFigures): number =>
    all.reduce((sum, each) => sum + each[key], 0) / Math.max(1, all.length);
  return { recall: of('recall'), tools: of('tools'), tokens: of('tokens') };
}
