import {
  bytesField,
  elementType,
  int64Tensor,
  intField,
  model,
  node,
  tensor,
  valueInfo,
} from '../../../training/onnx-writer.ts';
import { createDraw } from './tool-lists.ts';

/**
 * The shape of all-MiniLM-L6-v2, which has six layers of width 384, twelve heads and an inner width of 1,536.
 * The benchmark's vocabulary has only some of the 30,522 words, because the cost of a lookup does not depend
 * on vocabulary size.
 */
export const shape = { layers: 6, width: 384, heads: 12, inner: 1536, words: 2000, positions: 512 } as const;
const headWidth = shape.width / shape.heads;
const opset = 17;

/**
 * Encodes a transposition with an AttributeProto of type INTS. The field numbers are 1 for name, 8 for ints,
 * and 20 for type.
 */
function transpose(input: string, output: string, axes: readonly number[]): Buffer {
  const attribute = Buffer.concat([
    bytesField(1, 'perm'),
    ...axes.map((axis) => intField(8, axis)),
    intField(20, 7),
  ]);
  return Buffer.concat([
    bytesField(1, input),
    bytesField(2, output),
    bytesField(3, output),
    bytesField(4, 'Transpose'),
    bytesField(5, attribute),
  ]);
}

/**
 * Returns small pseudo-random numbers. The numbers are the same in every run. The values of model weights do
 * not affect the inference time.
 */
function floats(name: string, dimensions: readonly number[], value?: number): Buffer {
  const count = dimensions.reduce((product, size) => product * size, 1);
  const draw = createDraw(name.length * 31 + count);
  const values = Float32Array.from({ length: count }, () => value ?? (draw(2001) - 1000) / 20_000);
  return tensor(name, elementType.float, dimensions, new Uint8Array(values.buffer));
}

interface Draft {
  readonly nodes: Buffer[];
  readonly initializers: Buffer[];
}

function addLinear(
  { nodes, initializers }: Draft,
  input: string,
  output: string,
  from: number,
  to: number,
): void {
  initializers.push(floats(`${output}_w`, [from, to]), floats(`${output}_b`, [to]));
  nodes.push(
    node('MatMul', [input, `${output}_w`], `${output}_m`),
    node('Add', [`${output}_m`, `${output}_b`], output),
  );
}

function addNorm({ nodes, initializers }: Draft, input: string, output: string): void {
  initializers.push(floats(`${output}_g`, [shape.width], 1), floats(`${output}_n`, [shape.width], 0));
  nodes.push(node('LayerNormalization', [input, `${output}_g`, `${output}_n`], output, { axis: -1 }));
}

function addHeads(draft: Draft, input: string, output: string, axes: readonly number[]): void {
  draft.nodes.push(node('Reshape', [input, 'heads'], `${output}_r`), transpose(`${output}_r`, output, axes));
}

function addLayer(draft: Draft, input: string, at: number): string {
  const { nodes } = draft;
  const name = (part: string): string => `l${at}_${part}`;
  for (const part of ['q', 'k', 'v']) addLinear(draft, input, name(part), shape.width, shape.width);
  addHeads(draft, name('q'), name('qh'), [0, 2, 1, 3]);
  addHeads(draft, name('k'), name('kh'), [0, 2, 3, 1]);
  addHeads(draft, name('v'), name('vh'), [0, 2, 1, 3]);
  nodes.push(
    node('MatMul', [name('qh'), name('kh')], name('dots')),
    node('Mul', [name('dots'), 'scale'], name('scaled')),
    node('Softmax', [name('scaled')], name('shares'), { axis: -1 }),
    node('MatMul', [name('shares'), name('vh')], name('mixed')),
    transpose(name('mixed'), name('mixed_t'), [0, 2, 1, 3]),
    node('Reshape', [name('mixed_t'), 'flat'], name('joined')),
  );
  addLinear(draft, name('joined'), name('out'), shape.width, shape.width);
  nodes.push(node('Add', [name('out'), input], name('sum1')));
  addNorm(draft, name('sum1'), name('norm1'));
  addLinear(draft, name('norm1'), name('up'), shape.width, shape.inner);
  nodes.push(
    node('Mul', [name('up'), 'root_half'], name('up_s')),
    node('Erf', [name('up_s')], name('erf')),
    node('Add', [name('erf'), 'one'], name('erf_1')),
    node('Mul', [name('up'), name('erf_1')], name('gelu_2')),
    node('Mul', [name('gelu_2'), 'half'], name('gelu')),
  );
  addLinear(draft, name('gelu'), name('down'), shape.inner, shape.width);
  nodes.push(node('Add', [name('down'), name('norm1')], name('sum2')));
  addNorm(draft, name('sum2'), name('norm2'));
  return name('norm2');
}

/**
 * Builds the ONNX graph of a sentence transformer of MiniLM's size. The sentence transformer maps token ids
 * to token vectors.
 */
export function makeMiniLm(): Buffer {
  const scalar = (name: string, value: number): Buffer => floats(name, [1], value);
  const draft: Draft = {
    nodes: [node('Gather', ['words', 'input_ids'], 'embedded', { axis: 0 })],
    initializers: [
      floats('words', [shape.words, shape.width]),
      int64Tensor('heads', [0, -1, shape.heads, headWidth]),
      int64Tensor('flat', [0, -1, shape.width]),
      scalar('scale', 1 / Math.sqrt(headWidth)),
      scalar('root_half', Math.SQRT1_2),
      scalar('one', 1),
      scalar('half', 0.5),
    ],
  };
  addNorm(draft, 'embedded', 'start');
  let last = 'start';
  for (let layer = 0; layer < shape.layers; layer += 1) last = addLayer(draft, last, layer);
  draft.nodes.push(node('Identity', [last], 'last_hidden_state'));
  const inputs = [valueInfo('input_ids', elementType.int64, ['texts', 'tokens'])];
  const outputs = [valueInfo('last_hidden_state', elementType.float, ['texts', 'tokens', shape.width])];
  return model({ name: 'minilm', ...draft, inputs, outputs }, opset);
}
