// Writes models/reranker and training/folds/reranker.json from generated/second-stage.json.
// Usage: `node training/export-reranker.ts`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldsDirectory, rerankerDirectory } from './encoder-files.ts';
import { makeRerankerModel, type RerankerParts } from './reranker-graph.ts';

const fitted = JSON.parse(readFileSync(join(import.meta.dirname, 'generated/second-stage.json'), 'utf8')) as {
  features: string[];
  all: RerankerParts;
  folds: RerankerParts[];
};

mkdirSync(rerankerDirectory, { recursive: true });
writeFileSync(join(rerankerDirectory, 'model.onnx'), makeRerankerModel(fitted.all));
writeFileSync(
  join(rerankerDirectory, 'features.json'),
  `${JSON.stringify({ kind: 'second-stage', features: fitted.features }, null, 2)}\n`,
);
fitted.folds.forEach((parts, fold) => {
  writeFileSync(join(foldsDirectory, `reranker-${fold}.onnx`), makeRerankerModel(parts));
});
