/** Start data of the inference thread. */
export interface InferenceThreadData {
  readonly encoderDir: string;
  /** Null without a reranker. */
  readonly rerankerDir: string | null;
  /** Threads per inference. One thread leaves the other cores to other requests. */
  readonly threads: number;
}

export interface EncoderFacts {
  /** Hash of the directory's files. Vectors with the same id are comparable. */
  readonly id: string;
  readonly dimensions: number;
}

export interface RerankerFacts {
  readonly id: string;
  /**
   * `features`: rows of features, named in column order. `pairs`: a cross-encoder, which reads question and
   * text.
   */
  readonly reads:
    { readonly kind: 'features'; readonly features: readonly string[] } | { readonly kind: 'pairs' };
}

export type InferenceTask =
  /** Returns the vectors, one after another. */
  | { readonly kind: 'encode'; readonly texts: readonly EncoderText[] }
  /** Rows of features → a score a row. */
  | { readonly kind: 'score_features'; readonly features: Float32Array }
  /** → a score a text. */
  | { readonly kind: 'score_pairs'; readonly query: string; readonly texts: readonly string[] };

export interface InferenceBatch {
  readonly id: number;
  readonly tasks: readonly InferenceTask[];
}

export type InferenceResult = { readonly numbers: Float32Array } | { readonly error: string };

/** Sent once, before the thread accepts batches. If one model cannot be opened, the other still works. */
export interface InferenceReady {
  readonly kind: 'ready';
  readonly encoder: EncoderFacts | { readonly error: string };
  readonly reranker: RerankerFacts | { readonly error: string } | null;
}

export type ThreadMessage =
  | InferenceReady
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly results: readonly InferenceResult[];
      /** Milliseconds of computation, without the transfer between threads. */
      readonly inferenceMs: number;
    };

/**
 * Parts of text that an encoder may weigh differently. Their order defines the ids in a model's
 * `field_ids`, from 1.
 */
export const encoderFields = [
  'query',
  'context',
  'name',
  'description',
  'parameterName',
  'parameterDescription',
  'enumValue',
  'example',
] as const;
export type EncoderField = (typeof encoderFields)[number];

export interface EncoderPart {
  readonly field: EncoderField;
  readonly text: string;
}

/** The text of one vector. An encoder without fields reads the parts one after another. */
export type EncoderText = readonly EncoderPart[];
