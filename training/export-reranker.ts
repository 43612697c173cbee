// Writes models/reranker and training/folds/reranker.json from generated/second-stage.json:
// `node training/export-reranker.ts`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldsDirectory } from './encoder-files.ts';
import { makeRerankerModel } from './reranker-graph.ts';

const directory = join(import.meta.dirname, '../models/reranker');
const fitted = JSON.parse(
  readFileSync(join(import.meta.dirname, 'generated/second-stage.json'), 'utf8'),
) as { features: string[]; all: number[]; folds: number[][] };
const round = (values: readonly number[]): number[] => values.map((value) => Number(value.toPrecision(6)));

mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'model.onnx'), makeRerankerModel(round(fitted.all)));
writeFileSync(
  join(directory, 'features.json'),
  `${JSON.stringify({ kind: 'second-stage', features: fitted.features }, null, 2)}\n`,
);
writeFileSync(
  join(foldsDirectory, 'reranker.json'),
  `${JSON.stringify({ features: fitted.features, folds: fitted.folds.map(round) }, null, 1)}\n`,
);
