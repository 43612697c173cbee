import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@gateway/observability';
import { FeatureReranker } from '../reranker/feature-reranker.adapter.ts';
import type { EncoderFacts, InferenceTask, RerankerFacts } from '../inference/inference-protocol.ts';
import { InferenceRefused, type Inference, type InferenceOptions } from '../inference/inference.port.ts';

/**
 * Maximum size in bytes of a model that runs on the calling thread. A small model scores a thousand tools in
 * 0.05 ms. A transfer of the tools to another thread takes longer than the scoring.
 */
const modelBytesMax = 64 * 1024;

/**
 * Runs a small feature reranker on the calling thread and sends all other inference tasks to the inference
 * thread.
 */
export class LocalReranker implements Inference {
  readonly #threads: Inference;
  readonly #reranker: FeatureReranker;

  private constructor(threads: Inference, reranker: FeatureReranker) {
    this.#threads = threads;
    this.#reranker = reranker;
  }

  /**
   * Loads the reranker in a directory if it is a small feature reranker. Returns undefined if the reranker is of
   * another kind or fails to load.
   */
  static async open(directory: string, logger: Logger): Promise<FeatureReranker | undefined> {
    const sizeOf = (name: string): Promise<number> =>
      stat(join(directory, name)).then(
        ({ size }) => size,
        () => Infinity,
      );
    const [features, model] = await Promise.all(['features.json', 'model.onnx'].map(sizeOf));
    if (features === Infinity || (model ?? Infinity) > modelBytesMax) return undefined;
    return FeatureReranker.open(directory, 1).catch((error: unknown) => {
      logger.error({ err: error, directory }, 'opening the reranker failed');
      return undefined;
    });
  }

  static over(threads: Inference, reranker: FeatureReranker | undefined): Inference {
    return reranker === undefined ? threads : new LocalReranker(threads, reranker);
  }

  get encoder(): EncoderFacts | undefined {
    return this.#threads.encoder;
  }

  get secondEncoder(): EncoderFacts | undefined {
    return this.#threads.secondEncoder;
  }

  get reranker(): RerankerFacts {
    return this.#reranker;
  }

  get textsPerTask(): number {
    return this.#threads.textsPerTask;
  }

  async run(task: InferenceTask, options: InferenceOptions): Promise<Float32Array> {
    if (task.kind !== 'score_features') return this.#threads.run(task, options);
    return this.#reranker.scoreFeatures(task.features).catch((error: unknown) => {
      throw new InferenceRefused('no_model', error instanceof Error ? error.message : String(error));
    });
  }
}
