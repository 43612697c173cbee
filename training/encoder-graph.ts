import { elementType, int64Tensor, model, node, tensor, valueInfo } from './onnx-writer.ts';

const opset = 13;

/** The trained parameters of one encoder. All matrices are row-major and little-endian, as in the encoder's files. */
export interface EncoderParts {
  /** The table of word vectors, as int8 numbers in the shape [rows, dimensions]. */
  readonly table: Uint8Array;
  /**
   * The two scales of each table row, [rows, 2]. The first scale applies to user turns, and the second scale
   * applies to tools.
   */
  readonly tokenWeights: Float32Array;
  /** The gain for each field id. */
  readonly fieldGains: Float32Array;
  /** A matrix [dimensions, dimensions]. Vectors of user turns are multiplied by the matrix. */
  readonly turn: Float32Array;
  readonly dimensions: number;
  /** The lowest field id of a tool. All field ids below this id belong to user turns. */
  readonly toolFieldsFrom: number;
}

/**
 * Builds the encoder model. The formula is vectors = normalize(A × turn + B). A and B are the sums Σ weight ×
 * gain × table[id] over the turn's fields and over the tool's fields. The graph converts only the gathered int8
 * rows, so the cost is proportional to the number of tokens.
 */
export function makeEncoderModel(parts: EncoderParts): Buffer {
  return model(
    {
      name: 'encoder',
      initializers: listInitializers(parts),
      inputs: ['token_ids', 'field_ids'].map((name) =>
        valueInfo(name, elementType.int64, ['texts', 'tokens']),
      ),
      nodes,
      outputs: [valueInfo('vectors', elementType.float, ['texts', parts.dimensions])],
    },
    opset,
  );
}

const nodes = [
  node('Gather', ['table', 'token_ids'], 'rows', { axis: 0 }),
  node('Cast', ['rows'], 'words', { to: elementType.float }),
  node('Gather', ['token_weights', 'token_ids'], 'weights', { axis: 1 }),
  node('Gather', ['field_gains', 'field_ids'], 'gains', { axis: 1 }),
  node('Mul', ['weights', 'gains'], 'shares'),
  node('Unsqueeze', ['shares', 'row_axis'], 'share_rows'),
  node('MatMul', ['share_rows', 'words'], 'sides'),
  node('Gather', ['sides', 'first'], 'turn_side', { axis: 0 }),
  node('Gather', ['sides', 'second'], 'tool_side', { axis: 0 }),
  node('MatMul', ['turn_side', 'turn'], 'turned'),
  node('Add', ['turned', 'tool_side'], 'both'),
  node('Squeeze', ['both', 'side_axis'], 'rows_of_one'),
  node('Squeeze', ['rows_of_one', 'word_axis'], 'sum'),
  node('Mul', ['sum', 'sum'], 'squares'),
  node('ReduceSum', ['squares', 'word_axis'], 'square', { keepdims: 1 }),
  node('Sqrt', ['square'], 'length'),
  node('Max', ['length', 'length_min'], 'divisor'),
  node('Div', ['sum', 'divisor'], 'vectors'),
];

function listInitializers({
  table,
  tokenWeights,
  fieldGains,
  turn,
  dimensions,
  toolFieldsFrom,
}: EncoderParts) {
  const rows = table.length / dimensions;
  const gains = [
    ...fieldGains.map((gain, field) => (field > 0 && field < toolFieldsFrom ? gain : 0)),
    ...fieldGains.map((gain, field) => (field < toolFieldsFrom ? 0 : gain)),
  ];
  const bySide = [0, 1].flatMap((side) =>
    Array.from({ length: rows }, (_, row) => tokenWeights[2 * row + side] ?? 0),
  );
  return [
    tensor('table', elementType.int8, [rows, dimensions], table),
    floatTensor('token_weights', [2, rows], Float32Array.from(bySide)),
    floatTensor('field_gains', [2, fieldGains.length], Float32Array.from(gains)),
    floatTensor('turn', [dimensions, dimensions], turn),
    floatTensor('length_min', [1], Float32Array.of(1e-6)),
    int64Tensor('row_axis', [2]),
    int64Tensor('word_axis', [1]),
    int64Tensor('first', [0]),
    int64Tensor('second', [1]),
    int64Tensor('side_axis', [0]),
  ];
}

export function floatTensor(name: string, dimensions: readonly number[], data: Float32Array): Buffer {
  return tensor(
    name,
    elementType.float,
    dimensions,
    new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  );
}
