import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { elementType, int64Tensor, model, node, tensor, valueInfo } from '../../training/onnx-writer.ts';

const dimensions = 64;
const opset = 13;

/** Returns pseudo-random numbers between -1 and 1. The random numbers are the same in every run. */
function makeTable(buckets: number): Uint8Array {
  let state = 7;
  const values = new Float32Array(buckets * dimensions);
  for (let at = 0; at < values.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    values[at] = state / 2 ** 31 - 1;
  }
  return new Uint8Array(values.buffer);
}

/**
 * Writes a line scorer of realistic size. The model averages a 64-number vector per word, and compares the
 * line's average with the question's average. The word table is random, so a line's score depends on the
 * words that the line shares with the question.
 * @param buckets number of rows in the word table
 */
export async function writeSmallScorer(folder: string, buckets = 16_384): Promise<string> {
  await mkdir(folder, { recursive: true });
  const means = (name: string): Buffer[] => [
    node('Gather', ['table', `${name}_ids`], `${name}_rows`, { axis: 0 }),
    node('Unsqueeze', [`${name}_weights`, 'last_axis'], `${name}_mask`),
    node('Mul', [`${name}_rows`, `${name}_mask`], `${name}_masked`),
    node('ReduceSum', [`${name}_masked`, 'word_axis'], `${name}_sum`, { keepdims: 0 }),
    node('LpNormalization', [`${name}_sum`], `${name}_mean`, { axis: 1, p: 2 }),
  ];
  const words = (name: string): Buffer[] => [
    valueInfo(`${name}_ids`, elementType.int64, [`${name}s`, `${name}_words`]),
    valueInfo(`${name}_weights`, elementType.float, [`${name}s`, `${name}_words`]),
  ];
  const graph = {
    name: 'small-scorer',
    initializers: [
      tensor('table', elementType.float, [buckets, dimensions], makeTable(buckets)),
      int64Tensor('last_axis', [2]),
      int64Tensor('word_axis', [1]),
    ],
    inputs: [...words('line'), ...words('question')],
    nodes: [
      ...means('line'),
      ...means('question'),
      node('Mul', ['line_mean', 'question_mean'], 'likeness'),
      node('ReduceSum', ['likeness', 'word_axis'], 'scores', { keepdims: 0 }),
    ],
    outputs: [valueInfo('scores', elementType.float, ['lines'])],
  };
  await writeFile(join(folder, 'model.onnx'), model(graph, opset));
  const manifest = { kind: 'hashed-words', buckets, wordsMax: 64 };
  await writeFile(join(folder, 'scorer.json'), JSON.stringify(manifest));
  return folder;
}
