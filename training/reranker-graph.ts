import { floatTensor } from './encoder-graph.ts';
import { elementType, int64Tensor, model, node, valueInfo } from './onnx-writer.ts';

const opset = 13;

/** The trained parameters of the ranking's second stage, in the form that `fit_second_stage.py` writes. */
export interface RerankerParts {
  readonly linear: readonly number[];
  /** The weights, indexed by feature and then by unit. */
  readonly inward: readonly (readonly number[])[];
  readonly bias: readonly number[];
  readonly outward: readonly number[];
}

/**
 * Builds the reranker model. The formula is scores = features × linear + max(0, features × inward + bias) ×
 * outward.
 */
export function makeRerankerModel({ linear, inward, bias, outward }: RerankerParts): Buffer {
  const features = linear.length;
  const units = bias.length;
  return model(
    {
      name: 'reranker',
      initializers: [
        floatTensor('linear', [features, 1], Float32Array.from(linear)),
        floatTensor('inward', [features, units], Float32Array.from(inward.flat())),
        floatTensor('bias', [units], Float32Array.from(bias)),
        floatTensor('outward', [units, 1], Float32Array.from(outward)),
        int64Tensor('last_axis', [1]),
      ],
      inputs: [valueInfo('features', elementType.float, ['tools', features])],
      nodes: [
        node('MatMul', ['features', 'linear'], 'straight'),
        node('MatMul', ['features', 'inward'], 'weighed'),
        node('Add', ['weighed', 'bias'], 'raised'),
        node('Relu', ['raised'], 'units'),
        node('MatMul', ['units', 'outward'], 'bent'),
        node('Add', ['straight', 'bent'], 'column'),
        node('Squeeze', ['column', 'last_axis'], 'scores'),
      ],
      outputs: [valueInfo('scores', elementType.float, ['tools'])],
    },
    opset,
  );
}
