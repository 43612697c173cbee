// Writes models/tiny/model.onnx and encoder.json: `node training/tiny-encoder/make-tiny-encoder.ts`. Needs no network, and
// gives the same bytes every time. What the model is and is good for: models/tiny/card.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OnnxEncoder } from '../../apps/tool-router/src/encoder/onnx-encoder.adapter.ts';
import { elementType, int64Tensor, model, node, tensor, valueInfo } from '../onnx-writer.ts';

const buckets = 4096;
const dimensions = 64;
const seed = 20_261_120;
const opset = 13;
const checkText = 'create_issue: Create a new issue in a GitHub repository.';
const directory = join(import.meta.dirname, '../../models/tiny');

writeFileSync(join(directory, 'model.onnx'), makeModel());
const manifest = {
  kind: 'hashed-character-grams',
  buckets,
  dimensions,
  gramLengths: [3, 4, 5],
  tokensMax: 2048,
};
writeManifest({ ...manifest, check: { text: checkText, vector: [] } });
const encoder = await OnnxEncoder.open(directory, { threads: 1, check: false });
const [vector] = await encoder.encode([checkText]);
writeManifest({
  ...manifest,
  check: { text: checkText, vector: Array.from(vector ?? [], (value) => Math.round(value * 1e5) / 1e5) },
});

function writeManifest(value: object): void {
  writeFileSync(join(directory, 'encoder.json'), `${JSON.stringify(value, null, 2)}\n`);
}

/** vectors = normalize(Σ weight × table[id] / Σ weight), by text. */
function makeModel(): Buffer {
  return model(
    {
      name: 'tiny-encoder',
      initializers: [
        tensor('table', elementType.int8, [buckets, dimensions], makeSigns(buckets * dimensions)),
        int64Tensor('last_axis', [2]),
        int64Tensor('token_axis', [1]),
      ],
      inputs: [
        valueInfo('token_ids', elementType.int64, ['texts', 'tokens']),
        valueInfo('token_weights', elementType.float, ['texts', 'tokens']),
      ],
      nodes: [
        node('Gather', ['table', 'token_ids'], 'rows', { axis: 0 }),
        node('Cast', ['rows'], 'embeddings', { to: elementType.float }),
        node('Unsqueeze', ['token_weights', 'last_axis'], 'weights'),
        node('Mul', ['embeddings', 'weights'], 'weighted'),
        node('ReduceSum', ['weighted', 'token_axis'], 'sum', { keepdims: 0 }),
        node('ReduceSum', ['weights', 'token_axis'], 'total', { keepdims: 0 }),
        node('Div', ['sum', 'total'], 'mean'),
        node('LpNormalization', ['mean'], 'vectors', { axis: 1, p: 2 }),
      ],
      outputs: [valueInfo('vectors', elementType.float, ['texts', dimensions])],
    },
    opset,
  );
}

/** Random signs (Achlioptas 2003): sums of such rows keep the angles between bags of tokens, about. Mulberry32 generator. */
function makeSigns(count: number): Uint8Array {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 31;
  };
  return new Uint8Array(Int8Array.from({ length: count }, () => (next() === 0 ? -1 : 1)).buffer);
}
