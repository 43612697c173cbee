// Fits the complexity score for `svc/auto` and writes models/complexity. Usage:
// `npm run train:complexity [-- --data DIR]`. A run takes a few seconds.
// The same data always produces the same files, byte for byte.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { featureNames, type ComplexityWeights } from '@gateway/model-routing';
import { calibrate, calibrationError, chooseThresholds, probability } from './calibrate.ts';
import { fitWeights } from './fit-weights.ts';
import { crossFit, foldByDataset, foldWithinDatasets } from './folds.ts';
import { loadLabelledPrompts } from './labelled-prompts.ts';

const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data/routing' } } });
const folder = join(import.meta.dirname, '../../models/complexity');
const { prompts } = loadLabelledPrompts(values.data);

const raws = crossFit(prompts, foldWithinDatasets(prompts));
const calibration = calibrate(
  prompts.map(({ gain }, at) => ({ raw: raws[at] ?? 0, needsCapable: gain > 0 })),
);
const scores = raws.map((raw) => probability(raw, calibration));
const linear = fitWeights(prompts);
const fitted: ComplexityWeights = {
  version: 1,
  features: featureNames,
  means: linear.means.map(round),
  deviations: linear.deviations.map(round),
  weights: linear.weights.map(round),
  calibration: { slope: round(calibration.slope), intercept: round(calibration.intercept) },
  thresholds: roundAll(chooseThresholds(scores)),
};
writeFileSync(join(folder, 'weights.json'), `${JSON.stringify(fitted, null, 2)}\n`);
// The digests of the prompts that the weights were trained on.
// The evaluation scores each training prompt with weights that were not trained on the prompt.
writeFileSync(
  join(folder, 'fitted-on.txt'),
  `${prompts
    .map(({ digest }) => digest)
    .toSorted()
    .join('\n')}\n`,
);

const unseen = crossFit(prompts, foldByDataset(prompts)).map((raw) => probability(raw, calibration));
console.log(
  `${prompts.length} prompts, ${featureNames.length} features; calibration error ${errorOf(scores)} (datasets left out whole: ${errorOf(unseen)})`,
);

function errorOf(chances: readonly number[]): string {
  const pairs = chances.map((chance, at) => ({ chance, came: (prompts[at]?.gain ?? 0) > 0 }));
  return calibrationError(pairs).toFixed(3);
}

function round(value: number): number {
  return Number(value.toPrecision(7));
}

function roundAll({ medium, high }: ComplexityWeights['thresholds']): ComplexityWeights['thresholds'] {
  return { medium: round(medium), high: round(high) };
}
