// Writes models/encoder and training/folds from the trained parameters in training/generated. Usage:
// `node training/export-encoder.ts`.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encoderFields } from '../apps/tool-router/src/inference/inference-protocol.ts';
import { Vocabulary } from '../apps/tool-router/src/encoder/vocabulary.ts';
import { assembleEncoder, encoderDirectory, foldsDirectory, packHalf } from './encoder-files.ts';
import { dimensions, vocabularyOptions } from './encoder-shape.ts';
import { folds } from './folds.ts';
import { openEncoder } from './run-models.ts';

const generated = join(import.meta.dirname, 'generated');
const check = [
  { field: 'name', text: 'create_issue' },
  { field: 'description', text: 'Create a new issue in a GitHub repository.' },
] as const;

mkdirSync(encoderDirectory, { recursive: true });
mkdirSync(foldsDirectory, { recursive: true });
const table = readFileSync(join(generated, 'table.i8'));
writeFileSync(join(encoderDirectory, 'model.onnx'), assembleEncoder(table, readFloats('encoder-all.f32')));
copyFileSync(join(generated, 'vocabulary.txt'), join(encoderDirectory, 'vocabulary.txt'));
folds.forEach((_, fold) => {
  writeFileSync(join(foldsDirectory, `encoder-${fold}.bf16`), packHalf(readFloats(`encoder-${fold}.f32`)));
});
const vocabulary = Vocabulary.parse(
  readFileSync(join(encoderDirectory, 'vocabulary.txt'), 'utf8'),
  vocabularyOptions,
);
const encode = await openEncoder(readFileSync(join(encoderDirectory, 'model.onnx')), vocabulary);
const [vector] = await encode([check]);
const manifest = {
  kind: 'words-and-buckets',
  dimensions,
  ...vocabularyOptions,
  fields: encoderFields,
  check: { text: check, vector: Array.from(vector ?? [], (value) => Math.round(value * 1e5) / 1e5) },
};
writeFileSync(join(encoderDirectory, 'encoder.json'), `${JSON.stringify(manifest, null, 2)}\n`);

function readFloats(name: string): Float32Array {
  return new Float32Array(Uint8Array.from(readFileSync(join(generated, name))).buffer);
}
