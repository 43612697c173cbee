// Writes the second stage for the first encoder or, with `--both`, the second stage for both encoders.
// The output folder is models/reranker or, with X, models/minilm/second-stage.
// The models for cross-validation, each fitted without one family of tool sets, go to training/folds. Usage:
// `node training/export-reranker.ts [--both]`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foldsDirectory, rerankerDirectory, secondEncoderDirectory } from './encoder-files.ts';
import { makeRerankerModel, type RerankerParts } from './reranker-graph.ts';

const { values } = parseArgs({ options: { both: { type: 'boolean', default: false } } });
const [fittedFile, directory, foldName] = values.both
  ? ['second-stage-both.json', join(secondEncoderDirectory, 'second-stage'), 'second-stage']
  : ['second-stage.json', rerankerDirectory, 'reranker'];
const fitted = JSON.parse(readFileSync(join(import.meta.dirname, 'generated', fittedFile), 'utf8')) as {
  features: string[];
  all: RerankerParts;
  folds: RerankerParts[];
};

mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'model.onnx'), makeRerankerModel(fitted.all));
writeFileSync(
  join(directory, 'features.json'),
  `${JSON.stringify({ kind: 'second-stage', features: fitted.features }, null, 2)}\n`,
);
fitted.folds.forEach((parts, fold) => {
  writeFileSync(join(foldsDirectory, `${foldName}-${fold}.onnx`), makeRerankerModel(parts));
});
