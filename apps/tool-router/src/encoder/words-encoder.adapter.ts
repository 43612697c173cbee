import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { z } from 'zod';
import { encoderFields, type EncoderText } from '../inference/inference-protocol.ts';
import { batchTokens, Vocabulary } from './vocabulary.ts';
import { nameModel, openGraph } from '../inference/model-files.ts';
import type { Encoder } from '../inference/inference.port.ts';

const tokensMax = z.int().min(0).max(8192);
const partSchema = z.object({ field: z.enum(encoderFields), text: z.string() });

const manifestSchema = z.object({
  /**
   * The mapping of words to token ids. Each word in `vocabulary.txt` has a separate id. Unknown words share a
   * fixed number of ids (`buckets`).
   */
  kind: z.literal('words-and-buckets'),
  dimensions: z.int().positive().max(4096),
  buckets: z
    .int()
    .positive()
    .max(1 << 24),
  /**
   * The text fields used in training, in id order. The router rejects an encoder with a field list that differs from
   * `encoderFields`.
   */
  fields: z.array(z.enum(encoderFields)).refine((fields) => fields.join() === encoderFields.join(), {
    error: 'not the fields that the router reads',
  }),
  tokensMax: z.record(z.enum(encoderFields), tokensMax),
  /**
   * A sample text, and the vector that the model must compute for it. The router encodes the sample text on
   * startup to verify that graph, runtime and vocabulary match.
   */
  check: z.object({ text: z.array(partSchema), vector: z.array(z.number()) }),
});
type Manifest = z.infer<typeof manifestSchema>;

/** Maximum difference per dimension between the expected and the computed vector. */
const checkTolerance = 1e-3;
/**
 * Maximum number of texts per inference run. Padding to the longest text takes time, and an inference run
 * blocks the thread.
 */
const rowsMax = 32;

/**
 * An encoder trained in this project, with the files `model.onnx`, `encoder.json` and `vocabulary.txt`
 * (models/README.md).
 */
export class WordsEncoder implements Encoder {
  readonly id: string;
  readonly dimensions: number;
  readonly #vocabulary: Vocabulary;
  readonly #session: InferenceSession;

  private constructor(id: string, manifest: Manifest, vocabulary: Vocabulary, session: InferenceSession) {
    this.id = id;
    this.dimensions = manifest.dimensions;
    this.#vocabulary = vocabulary;
    this.#session = session;
  }

  /**
   * @throws if files are missing or corrupt, or if the model does not reproduce the sample vector in its
   * manifest.
   */
  static async open(directory: string, threads: number): Promise<WordsEncoder> {
    const [json, words, model] = await Promise.all(
      ['encoder.json', 'vocabulary.txt', 'model.onnx'].map((name) => readFile(join(directory, name))),
    );
    if (!json || !words || !model) throw new Error(`${directory}: files are missing or empty`);
    const manifest = manifestSchema.parse(JSON.parse(json.toString('utf8')));
    const vocabulary = Vocabulary.parse(words.toString('utf8'), manifest);
    const id = nameModel(json, words, model);
    const encoder = new WordsEncoder(id, manifest, vocabulary, await openGraph(model, threads));
    await encoder.#check(directory, manifest.check);
    return encoder;
  }

  async encode(texts: readonly EncoderText[]): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.dimensions);
    for (let from = 0; from < texts.length; from += rowsMax) {
      const rows = texts.slice(from, from + rowsMax);
      const { tokenIds, fieldIds, shape } = batchTokens(rows.map((text) => this.#vocabulary.tokenize(text)));
      const { vectors: tensor } = await this.#session.run({
        token_ids: new Tensor('int64', tokenIds, shape),
        field_ids: new Tensor('int64', fieldIds, shape),
      });
      const data: unknown = tensor?.data;
      if (!(data instanceof Float32Array) || data.length !== rows.length * this.dimensions) {
        throw new Error(
          `the encoder did not return ${rows.length} vectors with ${this.dimensions} dimensions`,
        );
      }
      vectors.set(data, from * this.dimensions);
    }
    // The model's vector for a text without words would have no meaningful direction.
    // A text without words therefore gets the zero vector, which is equally distant from every tool.
    return vectors.map((value) => (Number.isFinite(value) ? value : 0));
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  async #check(directory: string, { text, vector }: Manifest['check']): Promise<void> {
    const computed = await this.encode([text]);
    const fits =
      vector.length === this.dimensions &&
      vector.every((value, at) => Math.abs(value - (computed[at] ?? Number.NaN)) <= checkTolerance);
    if (!fits) throw new Error(`${directory}: the encoder does not return the check vector of encoder.json`);
  }
}
