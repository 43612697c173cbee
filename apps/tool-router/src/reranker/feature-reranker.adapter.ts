import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { z } from 'zod';
import { nameModel, openGraph } from '../inference/model-files.ts';
import type { Reranker } from '../inference/inference.port.ts';

const manifestSchema = z.object({ features: z.array(z.string()).min(1).max(4096) });

/** A reranker trained in this project, with the files `model.onnx` and `features.json` (models/README.md). */
export class FeatureReranker implements Reranker {
  readonly id: string;
  readonly reads;
  readonly #session: InferenceSession;

  private constructor(id: string, features: readonly string[], session: InferenceSession) {
    this.id = id;
    this.reads = { kind: 'features', features } as const;
    this.#session = session;
  }

  /** @throws if model files are missing or corrupt, or if the graph does not accept the router's features. */
  static async open(directory: string, threads: number): Promise<FeatureReranker> {
    const [json, model] = await Promise.all(
      ['features.json', 'model.onnx'].map((name) => readFile(join(directory, name))),
    );
    if (!json || !model) throw new Error(`${directory}: files are missing or empty`);
    const { features } = manifestSchema.parse(JSON.parse(json.toString('utf8')));
    const reranker = new FeatureReranker(nameModel(json, model), features, await openGraph(model, threads));
    // A test input with two rows.
    // The test input detects graphs that expect a different number of features or a fixed number of tools.
    await reranker.scoreFeatures(new Float32Array(2 * features.length));
    return reranker;
  }

  async scoreFeatures(features: Float32Array): Promise<Float32Array> {
    const width = this.reads.features.length;
    const rows = features.length / width;
    if (!Number.isInteger(rows))
      throw new Error(`the input is not a whole number of rows with ${width} features`);
    if (rows === 0) return new Float32Array(0);
    const { scores } = await this.#session.run({ features: new Tensor('float32', features, [rows, width]) });
    const data: unknown = scores?.data;
    if (!(data instanceof Float32Array) || data.length !== rows || !data.every(Number.isFinite)) {
      throw new Error(`the reranker did not return ${rows} scores`);
    }
    // The ONNX runtime owns the memory of the scores.
    // The scores are copied, because memory of the ONNX runtime must not be transferred to another thread.
    return data.slice();
  }

  scorePairs(): Promise<Float32Array> {
    return Promise.reject(new Error('this reranker does not accept texts'));
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}
