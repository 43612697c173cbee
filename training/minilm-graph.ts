import { floatTensor } from './encoder-graph.ts';
import { elementType, int64Tensor, model, node, tensor, valueInfo } from './onnx-writer.ts';

/** The shape of all-MiniLM-L6-v2, which is a BERT encoder. */
const shape = { layers: 6, width: 384, heads: 12 } as const;
const { layers, width, heads } = shape;
const opset = 21;
const contrib = 'com.microsoft';
/** The constant that BERT adds to the variance in layer normalization. */
const epsilon = 1e-12;
/**
 * The largest absolute value of an int8 weight in a matrix. A processor without VNNI adds two products of an
 * unsigned and a signed 8-bit number in 16 bits. With weights up to 64, the sum never overflows (2 × 255 × 64
 * < 2¹⁵), so all processors compute the same sums.
 */
const matrixStepMax = 64;
const rowStepMax = 127;

/** The weights of the original model, by their names in its file. */
export interface MiniLmWeights {
  /** Returns the numbers of a tensor. */
  floats(name: string): Float32Array;
  /** Returns the matrix of a linear layer, row-major, [inputs, outputs]. */
  matrix(layer: string): Float32Array;
}

interface Draft {
  readonly weights: MiniLmWeights;
  readonly nodes: Buffer[];
  readonly initializers: Buffer[];
}

/**
 * Builds the model. The input `input_ids` has the type int64 and the shape [1, tokens]. The output `sentence_embedding`
 * has the type float32 and the shape [1, 384], and is the mean of the token vectors, scaled to length one. The word
 * table has int8 rows with one scale per row. Only the rows of the text's tokens are converted to float32. The matrices
 * have int8 weights with one scale per output, and the runtime quantizes their inputs to 8 bits.
 * @param tokensMax maximum number of tokens in a text
 */
export function makeMiniLmModel(weights: MiniLmWeights, tokensMax: number): Buffer {
  const draft: Draft = { weights, nodes: [], initializers: [] };
  let last = addEmbeddings(draft, tokensMax);
  for (let layer = 0; layer < layers; layer += 1) last = addLayer(draft, last, layer);
  draft.nodes.push(
    node('ReduceMean', [last, 'token_axis'], 'mean', { keepdims: 0 }),
    node('LpNormalization', ['mean'], 'sentence_embedding', { axis: -1, p: 2 }),
  );
  return model(
    {
      name: 'minilm',
      nodes: draft.nodes,
      initializers: draft.initializers,
      inputs: [valueInfo('input_ids', elementType.int64, ['texts', 'tokens'])],
      outputs: [valueInfo('sentence_embedding', elementType.float, ['texts', width])],
    },
    opset,
    [contrib],
  );
}

function addEmbeddings(draft: Draft, tokensMax: number): string {
  const { weights, nodes, initializers } = draft;
  const table = weights.floats('.model.embeddings.word_embeddings.weight');
  const rows = table.length / width;
  const { steps, scales } = quantize(table, rows, (at) => Math.floor(at / width), rowStepMax);
  const places = weights.floats('.model.embeddings.position_embeddings.weight').slice(0, tokensMax * width);
  // In a single text, all tokens have type 0, so the type 0 vector is added to every position's vector.
  const types = weights.floats('.model.embeddings.token_type_embeddings.weight');
  initializers.push(
    tensor('words', elementType.int8, [rows, width], steps),
    floatTensor('word_scales', [rows, 1], scales),
    floatTensor(
      'positions',
      [tokensMax, width],
      places.map((value, at) => value + (types[at % width] ?? 0)),
    ),
    int64Tensor('from', [0]),
    int64Tensor('token_axis', [1]),
    int64Tensor('after_tokens', [2]),
  );
  nodes.push(
    node('Gather', ['words', 'input_ids'], 'rows', { axis: 0 }),
    node('Cast', ['rows'], 'widened', { to: elementType.float }),
    node('Gather', ['word_scales', 'input_ids'], 'scales', { axis: 0 }),
    node('Mul', ['widened', 'scales'], 'embedded'),
    node('Shape', ['input_ids'], 'shape'),
    node('Slice', ['shape', 'token_axis', 'after_tokens'], 'tokens'),
    node('Slice', ['positions', 'from', 'tokens'], 'placed'),
    node('Add', ['embedded', 'placed'], 'start'),
  );
  return addNorm(draft, 'start', 'model.layers.-1.embeddings_norm_layernorm');
}

function addLayer(draft: Draft, input: string, layer: number): string {
  const { nodes } = draft;
  const name = (part: string): string => `model.layers.${layer}.${part}`;
  const [query = '', key = '', value = ''] = ['q', 'k', 'v'].map((part) =>
    addLinear(draft, input, name(`attn.${part}_proj`)),
  );
  nodes.push(node('MultiHeadAttention', [query, key, value], name('attn'), { num_heads: heads }, contrib));
  const attended = addLinear(draft, name('attn'), name('attn.o_proj'));
  nodes.push(node('Add', [attended, input], name('attn.sum')));
  const middle = addNorm(draft, name('attn.sum'), name('attention_output_norm_layernorm'));
  const up = addLinear(draft, middle, name('mlp.fc1'));
  nodes.push(node('Gelu', [up], name('mlp.gelu')));
  const down = addLinear(draft, name('mlp.gelu'), name('mlp.fc2'));
  nodes.push(node('Add', [down, middle], name('mlp.sum')));
  return addNorm(draft, name('mlp.sum'), name('mlp_output_norm_layernorm'));
}

function addNorm({ weights, nodes, initializers }: Draft, input: string, name: string): string {
  const [gain, bias] = [`${name}.weight`, `${name}.bias`];
  for (const part of [gain, bias]) initializers.push(floatTensor(part, [width], weights.floats(part)));
  nodes.push(
    node('LayerNormalization', [input, gain, bias], name, { axis: -1, epsilon: { float: epsilon } }),
  );
  return name;
}

function addLinear({ weights, nodes, initializers }: Draft, input: string, name: string): string {
  const bias = weights.floats(`${name}.Add.bias`);
  const matrix = weights.matrix(name);
  const outputs = bias.length;
  const { steps, scales } = quantize(matrix, outputs, (at) => at % outputs, matrixStepMax);
  initializers.push(
    tensor(`${name}.steps`, elementType.int8, [matrix.length / outputs, outputs], steps),
    floatTensor(`${name}.scales`, [outputs], scales),
    floatTensor(`${name}.bias`, [outputs], bias),
  );
  const inputs = [input, `${name}.steps`, `${name}.scales`, '', `${name}.bias`];
  nodes.push(node('DynamicQuantizeMatMul', inputs, name, {}, contrib));
  return name;
}

/** Quantizes numbers to int8. The scale of a group of numbers maps the group's largest number to `stepMax`. */
function quantize(
  values: Float32Array,
  groups: number,
  groupOf: (at: number) => number,
  stepMax: number,
): { readonly steps: Uint8Array; readonly scales: Float32Array } {
  const scales = new Float32Array(groups);
  for (let at = 0; at < values.length; at += 1) {
    const group = groupOf(at);
    scales[group] = Math.max(scales[group] ?? 0, Math.abs(values[at] ?? 0) / stepMax);
  }
  const steps = new Int8Array(values.length);
  for (let at = 0; at < values.length; at += 1) {
    const scale = scales[groupOf(at)] ?? 0;
    if (scale > 0) steps[at] = Math.round((values[at] ?? 0) / scale);
  }
  return { steps: new Uint8Array(steps.buffer), scales };
}
