import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { EncoderText } from '../apps/tool-router/src/inference/inference-protocol.ts';
import { batchTokens } from '../apps/tool-router/src/encoder/vocabulary.ts';
import type { Vocabulary } from '../apps/tool-router/src/encoder/vocabulary.ts';

const options = { intraOpNumThreads: 1, interOpNumThreads: 1 } as const;
const batchSize = 64;

export type Encode = (texts: readonly EncoderText[]) => Promise<Float32Array[]>;

/** Runs an encoder that has no model folder, such as an encoder in training or an encoder for a single fold. */
export async function openEncoder(model: Uint8Array, vocabulary: Vocabulary): Promise<Encode> {
  const session = await InferenceSession.create(model, options);
  return async (texts) => {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += batchSize) {
      const rows = texts.slice(from, from + batchSize).map((text) => vocabulary.tokenize(text));
      const batch = batchTokens(rows);
      const output = await session.run({
        token_ids: new Tensor('int64', batch.tokenIds, batch.shape),
        field_ids: new Tensor('int64', batch.fieldIds, batch.shape),
      });
      vectors.push(...cutRows(output['vectors']?.data, rows.length));
    }
    return vectors;
  };
}

/** Returns the scores for rows of features. */
export type Score = (features: Float32Array, width: number) => Promise<Float32Array>;

export async function openReranker(model: Uint8Array): Promise<Score> {
  const session = await InferenceSession.create(model, options);
  return async (features, width) => {
    const { scores } = await session.run({
      features: new Tensor('float32', features, [features.length / width, width]),
    });
    if (!(scores?.data instanceof Float32Array)) throw new TypeError('the model gave no scores');
    return scores.data;
  };
}

function cutRows(data: unknown, rows: number): Float32Array[] {
  if (!(data instanceof Float32Array)) throw new TypeError('the model gave no vectors');
  const width = data.length / rows;
  return Array.from({ length: rows }, (_, row) => data.slice(row * width, (row + 1) * width));
}
