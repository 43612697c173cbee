import type { EncoderFacts, InferenceTask, RerankerFacts } from './inference-protocol.ts';

/** Who waits: a plan; a plan whose list has tools without a vector; nobody yet. Served in this order. */
export type Urgency = 'plan' | 'awaited' | 'later';

export interface InferenceOptions {
  readonly urgency: Urgency;
  /** Milliseconds of `performance.now()` from which on nobody wants the answer: what has not begun by then is dropped. */
  readonly deadlineAt?: number;
}

/** Runs the models beside the event loop. */
export interface Inference {
  /** Undefined while there is none that runs. */
  readonly encoder: EncoderFacts | undefined;
  readonly reranker: RerankerFacts | undefined;
  /** Texts of one task that keep the thread for a few milliseconds: who has more cuts them, so that plans get in between. */
  readonly textsPerTask: number;
  /** @throws InferenceRefused */
  run(task: InferenceTask, options: InferenceOptions): Promise<Float32Array>;
}

/** No inference came of it; the keyword path takes its place. */
export class InferenceRefused extends Error {
  readonly reason: 'no_model' | 'late' | 'busy';

  constructor(reason: InferenceRefused['reason'], detail: string = reason) {
    super(detail);
    this.reason = reason;
  }
}
