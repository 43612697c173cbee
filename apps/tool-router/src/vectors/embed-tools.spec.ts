import type { Inference } from '../inference/inference.port.ts';
import { ToolEmbedding } from './embed-tools.ts';

/**
 * An encoder for tests that converts the number in each text into a vector. The number of texts per task
 * (`textsPerTask`) may change after each task.
 */
function createInference(sizes: readonly number[]): Inference {
  let tasks = 0;
  return {
    encoder: { id: 'numbers', dimensions: 1 },
    secondEncoder: undefined,
    reranker: undefined,
    get textsPerTask() {
      return sizes[tasks % sizes.length] ?? 1;
    },
    run: (task) => {
      if (task.kind !== 'encode') throw new Error('only texts are expected');
      tasks += 1;
      const read = task.texts.map((text) => Number(/\d+/.exec(JSON.stringify(text))?.[0]));
      return Promise.resolve(Float32Array.from(read));
    },
  };
}

const readFloats = (text = ''): number[] => {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
};

test.each([
  ['shrinks', [32, 20, 7, 1]],
  ['grows', [3, 5, 32]],
  ['goes up and down', [2, 31, 4, 9]],
])('gives each tool and word its own vector while the task size %s', async (_, sizes) => {
  const numbers = Array.from({ length: 100 }, (_each, at) => at);
  const tools = numbers.map((at) => ({ name: `t${at}`, description: '', parameters: {} }));
  const words = numbers.map((at) => `w${at}`);
  const { vectors } = await new ToolEmbedding(createInference(sizes)).embed({ tools, words });
  expect(vectors?.dimensions).toBe(1);
  expect(readFloats(vectors?.tools)).toEqual(numbers);
  expect(readFloats(vectors?.words)).toEqual(numbers);
});
