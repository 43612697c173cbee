import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { tokenizeCharacterGrams } from './character-grams.ts';
import { parseEncoderManifest, type EncoderManifest } from './encoder-manifest.ts';

export interface OnnxEncoderOptions {
  /** Threads of one inference. One leaves the other cores to other requests. */
  readonly threads: number;
  /** Whether `open` runs the model on the manifest's own text and compares. On unless a model is being made. */
  readonly check?: boolean;
}

/** Largest difference in any dimension between the vector in the manifest (five decimals) and the one computed here. */
const checkTolerance = 1e-3;

/** An encoder run by onnxruntime, from a directory with `model.onnx` and `encoder.json`. */
export class OnnxEncoder {
  readonly dimensions: number;
  readonly #manifest: EncoderManifest;
  readonly #session: InferenceSession;

  private constructor(manifest: EncoderManifest, session: InferenceSession) {
    this.dimensions = manifest.dimensions;
    this.#manifest = manifest;
    this.#session = session;
  }

  /** @throws when the files are missing or broken, or when the model does not give what its manifest says. */
  static async open(directory: string, { threads, check = true }: OnnxEncoderOptions): Promise<OnnxEncoder> {
    const manifest = parseEncoderManifest(await readFile(join(directory, 'encoder.json'), 'utf8'));
    const session = await InferenceSession.create(join(directory, 'model.onnx'), {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
    });
    const encoder = new OnnxEncoder(manifest, session);
    if (check) await encoder.#check(directory);
    return encoder;
  }

  async encode(texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const tokens = texts.map((text) => tokenizeCharacterGrams(text, this.#manifest));
    const length = Math.max(...tokens.map((ids) => ids.length));
    const ids = new BigInt64Array(texts.length * length);
    const weights = new Float32Array(texts.length * length);
    tokens.forEach((row, text) => {
      row.forEach((id, at) => {
        ids[text * length + at] = BigInt(id);
        weights[text * length + at] = 1;
      });
    });
    const shape = [texts.length, length];
    const { vectors } = await this.#session.run({
      token_ids: new Tensor('int64', ids, shape),
      token_weights: new Tensor('float32', weights, shape),
    });
    return this.#cutRows(vectors?.data, texts.length);
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  #cutRows(data: unknown, rows: number): Float32Array[] {
    const size = this.dimensions;
    if (!(data instanceof Float32Array) || data.length !== rows * size) {
      throw new Error(`the encoder did not give ${rows} vectors of ${size} numbers`);
    }
    return Array.from({ length: rows }, (_, row) => data.slice(row * size, (row + 1) * size));
  }

  async #check(directory: string): Promise<void> {
    const { text, vector } = this.#manifest.check;
    const [computed] = await this.encode([text]);
    const fits =
      vector.length === this.dimensions &&
      vector.every((value, at) => Math.abs(value - (computed?.[at] ?? Number.NaN)) <= checkTolerance);
    if (!fits)
      throw new Error(`${directory}: the encoder does not give the vector that its encoder.json says`);
  }
}
