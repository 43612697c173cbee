import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { z } from 'zod';
import type { EncoderText } from '../inference/inference-protocol.ts';
import { modelFiles, nameModel, openGraph, readFirstFile } from '../inference/model-files.ts';
import { readJson, TextTokens } from '../inference/text-tokens.ts';
import { joinParts } from './tool-encoder-text.ts';
import type { Encoder } from '../inference/inference.port.ts';

/**
 * Maximum number of tokens to encode per text. The text of a tool starts with its name and description. The
 * encoding time grows with the length of the text.
 */
const tokensMax = 256;

const poolingSchema = z.looseObject({
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(true),
});
const promptsSchema = z.looseObject({ prompts: z.record(z.string(), z.string()).catch({}).default({}) });

interface Prompts {
  readonly query: string;
  readonly document: string;
}

/**
 * An encoder that loads any sentence transformer directory, with `model.onnx`, `tokenizer.json`, and the
 * pooling and prompt configuration. The encoder uses mean pooling unless the configuration selects first-token
 * pooling. Each inference encodes a single text, because the vector of a text must not depend on other texts.
 * In a quantized graph, all texts of a batch share one numeric scale.
 */
export class SentenceTransformer implements Encoder {
  readonly id: string;
  readonly dimensions: number;
  readonly #session: InferenceSession;
  readonly #tokens: TextTokens;
  readonly #usesFirstToken: boolean;
  readonly #prompts: Prompts;

  private constructor(
    id: string,
    dimensions: number,
    session: InferenceSession,
    tokens: TextTokens,
    pooling: { readonly usesFirstToken: boolean; readonly prompts: Prompts },
  ) {
    this.id = id;
    this.dimensions = dimensions;
    this.#session = session;
    this.#tokens = tokens;
    this.#usesFirstToken = pooling.usesFirstToken;
    this.#prompts = pooling.prompts;
  }

  /** @throws if model files are missing or corrupt, or if the graph does not output vectors. */
  static async open(directory: string, threads: number): Promise<SentenceTransformer> {
    const { bytes: model } = await readFirstFile(directory, modelFiles);
    const { bytes: tokenizer } = await readFirstFile(directory, ['tokenizer.json']);
    const pooling = poolingSchema.parse(await readJson(join(directory, '1_Pooling/config.json')));
    const said = promptsSchema.parse(
      await readJson(join(directory, 'config_sentence_transformers.json')),
    ).prompts;
    const prompts = { query: said['query'] ?? '', document: said['document'] ?? said['passage'] ?? '' };
    const usesFirstToken = pooling.pooling_mode_cls_token && !pooling.pooling_mode_mean_tokens;
    const id = nameModel(
      model,
      tokenizer,
      Buffer.from(JSON.stringify({ usesFirstToken, prompts, tokensMax })),
    );
    const session = await openGraph(model, threads);
    const tokens = await TextTokens.open(directory, tokensMax);
    const parts = { usesFirstToken, prompts };
    const probe = new SentenceTransformer(id, 0, session, tokens, parts);
    const { length } = await probe.#encodeOne([{ field: 'query', text: 'create an issue' }]);
    return new SentenceTransformer(id, length, session, tokens, parts);
  }

  async encode(texts: readonly EncoderText[]): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.dimensions);
    for (const [at, text] of texts.entries()) vectors.set(await this.#encodeOne(text), at * this.dimensions);
    return vectors;
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  async #encodeOne(text: EncoderText): Promise<Float32Array> {
    const isQuery = text[0]?.field === 'query';
    const prompt = isQuery ? this.#prompts.query : this.#prompts.document;
    const outputs = await this.#session.run(this.#tokens.feeds(this.#session, `${prompt}${joinParts(text)}`));
    return normalize(this.#pool(outputs));
  }

  #pool(outputs: Readonly<Record<string, Tensor>>): Float32Array {
    const whole = outputs['sentence_embedding'];
    if (whole?.data instanceof Float32Array) return whole.data.slice();
    const tokens = outputs['last_hidden_state'] ?? outputs['token_embeddings'] ?? Object.values(outputs)[0];
    const [, length = 0, dimensions = 0] = tokens?.dims ?? [];
    const data: unknown = tokens?.data;
    if (!(data instanceof Float32Array) || tokens?.dims.length !== 3 || length * dimensions !== data.length) {
      throw new Error('the model outputs no vectors of tokens or sentences');
    }
    if (this.#usesFirstToken) return data.slice(0, dimensions);
    const mean = new Float32Array(dimensions);
    for (let at = 0; at < data.length; at += 1) {
      const dimension = at % dimensions;
      mean[dimension] = (mean[dimension] ?? 0) + (data[at] ?? 0) / length;
    }
    return mean;
  }
}

/** Scales a vector to length 1. Zero vectors and vectors with non-finite numbers become all zeros. */
function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && Number.isFinite(length))) return vector.fill(0);
  return vector.map((value) => value / length);
}
