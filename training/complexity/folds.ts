import type { LabelledPrompt } from './labelled-prompts.ts';
import { fitWeights, scoreSample } from './fit-weights.ts';

const foldCount = 10;

/**
 * Assigns each dataset's prompts to the folds by digest. The folds do not depend on the order of the prompts
 * in the file.
 */
export function foldWithinDatasets(prompts: readonly LabelledPrompt[]): number[] {
  const folds = new Array<number>(prompts.length).fill(0);
  const seen = new Map<string, number>();
  const byDigest = prompts.map((prompt, at) => ({ ...prompt, at }));
  byDigest.sort((one, other) => (one.digest < other.digest ? -1 : 1));
  for (const { dataset, at } of byDigest) {
    const count = seen.get(dataset) ?? 0;
    folds[at] = count % foldCount;
    seen.set(dataset, count + 1);
  }
  return folds;
}

/**
 * Makes one fold from each dataset. The prompts of a dataset are scored by weights that were not trained on
 * the dataset.
 */
export function foldByDataset(prompts: readonly LabelledPrompt[]): number[] {
  const names = [...new Set(prompts.map(({ dataset }) => dataset))];
  return prompts.map(({ dataset }) => names.indexOf(dataset));
}

/**
 * Returns raw complexity scores of prompts. The weights for a prompt are fitted without the prompt's own
 * fold.
 */
export function crossFit(prompts: readonly LabelledPrompt[], folds: readonly number[]): number[] {
  const scores = new Array<number>(prompts.length).fill(0);
  for (const fold of new Set(folds)) {
    const weights = fitWeights(prompts.filter((_, at) => folds[at] !== fold));
    prompts.forEach(({ features }, at) => {
      if (folds[at] === fold) scores[at] = scoreSample(weights, features);
    });
  }
  return scores;
}
