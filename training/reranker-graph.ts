import { floatTensor } from './encoder-graph.ts';
import { elementType, int64Tensor, model, node, valueInfo } from './onnx-writer.ts';

const opset = 13;

/** scores = features × weights. */
export function makeRerankerModel(weights: readonly number[]): Buffer {
  return model(
    {
      name: 'reranker',
      initializers: [
        floatTensor('weights', [weights.length, 1], Float32Array.from(weights)),
        int64Tensor('last_axis', [1]),
      ],
      inputs: [valueInfo('features', elementType.float, ['tools', weights.length])],
      nodes: [
        node('MatMul', ['features', 'weights'], 'column'),
        node('Squeeze', ['column', 'last_axis'], 'scores'),
      ],
      outputs: [valueInfo('scores', elementType.float, ['tools'])],
    },
    opset,
  );
}
