import type { EncoderFacts, EncoderText, InferenceTask, RerankerFacts } from './inference-protocol.ts';

/**
 * Urgency of an inference task, in the order of execution. The urgency `plan` means that a plan waits for the task.
 * For `refined`, a plan waits for the second encoder, but can do without it. For `awaited`, a plan waits for vectors
 * of new tools. For `later`, no plan waits for the task yet. For `background`, no plan ever waits for the task.
 */
export type Urgency = 'plan' | 'refined' | 'awaited' | 'later' | 'background';

export interface InferenceOptions {
  readonly urgency: Urgency;
  /** The account to which the inference task belongs. Accounts with waiting tasks take turns. */
  readonly accountId?: string;
  /**
   * Deadline of the inference task in milliseconds, as a timestamp from `performance.now()`. A task that has
   * not started by its deadline is dropped.
   */
  readonly deadlineAt?: number;
}

/** Runs the models outside the event loop. */
export interface Inference {
  /** The loaded encoder. Undefined while no encoder is available. */
  readonly encoder: EncoderFacts | undefined;
  /** The loaded second encoder. Undefined while no second encoder is available. */
  readonly secondEncoder: EncoderFacts | undefined;
  readonly reranker: RerankerFacts | undefined;
  /**
   * Number of texts in a task that blocks the thread for only a few milliseconds. The caller splits larger jobs
   * into tasks of this size, so that more urgent tasks can run between them.
   */
  readonly textsPerTask: number;
  /**
   * @throws InferenceRefused if no model can run the task, the deadline has passed, or too many tasks wait.
   */
  run(task: InferenceTask, options: InferenceOptions): Promise<Float32Array>;
}

/** Thrown if inference fails. The caller handles the error by using keyword ranking. */
export class InferenceRefused extends Error {
  readonly reason: 'no_model' | 'late' | 'busy';

  constructor(reason: InferenceRefused['reason'], detail: string = reason) {
    super(detail);
    this.reason = reason;
  }
}

/** Encodes texts as unit-length vectors, so that a dot product equals the cosine. */
export interface Encoder {
  /**
   * Identifies the model and its vocabulary. Vectors with the same model id are comparable across replicas.
   */
  readonly id: string;
  readonly dimensions: number;
  /**
   * Returns the vectors of the texts, concatenated in the order of the texts. A text's vector does not depend
   * on the other texts.
   */
  encode(texts: readonly EncoderText[]): Promise<Float32Array>;
  release(): Promise<void>;
}

/**
 * A model that reranks the candidate tools for a turn. The field `reads` determines which of the two scoring methods
 * is available.
 */
export interface Reranker extends RerankerFacts {
  /** Takes concatenated feature rows, and returns one score per row. */
  scoreFeatures(features: Float32Array): Promise<Float32Array>;
  /** Takes one query with several texts and returns one score per text. */
  scorePairs(query: string, texts: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}
