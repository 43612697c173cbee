import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encoderFields } from '../apps/tool-router/src/inference/inference-protocol.ts';
import { makeEncoderModel } from './encoder-graph.ts';
import { dimensions } from './encoder-shape.ts';
import { readTensor } from './onnx-reader.ts';

export const foldsDirectory = join(import.meta.dirname, 'folds');
export const encoderDirectory = join(import.meta.dirname, '../models/encoder');
export const rerankerDirectory = join(import.meta.dirname, '../models/reranker');
export const secondEncoderDirectory = join(import.meta.dirname, '../models/minilm');

/** Rounds a float32 to its upper 16 bits, which halves the size and leaves three significant digits. */
export function packHalf(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, (each) => Math.min(0xffff, (each + 0x7fff + ((each >>> 16) & 1)) >>> 16));
}

export function unpackHalf(halves: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(halves, (half) => (half << 16) >>> 0).buffer);
}

/** Builds an encoder from a table of word vectors and the parameters that `finetune_encoder.py` writes. */
export function assembleEncoder(table: Uint8Array, learned: Float32Array): Buffer {
  const rows = table.length / dimensions;
  const fields = encoderFields.length + 1;
  const gainsFrom = 2 * rows;
  return makeEncoderModel({
    table,
    tokenWeights: learned.subarray(0, gainsFrom),
    fieldGains: learned.subarray(gainsFrom, gainsFrom + fields),
    turn: learned.subarray(gainsFrom + fields),
    dimensions,
    toolFieldsFrom: 1 + encoderFields.indexOf('name'),
  });
}

/**
 * Builds the encoder of a fold, which is a group of tool sets. The encoder was trained without these tool
 * sets. The encoder combines the shipped word table with the fold's own weights.
 */
export function readFoldEncoder(fold: number): Buffer {
  const table = readTensor(readFileSync(join(encoderDirectory, 'model.onnx')), 'table');
  const halves = Uint8Array.from(readFileSync(join(foldsDirectory, `encoder-${fold}.bf16`)));
  return assembleEncoder(table, unpackHalf(new Uint16Array(halves.buffer)));
}
