/** What the thread is started with. */
export interface InferenceThreadData {
  readonly encoderDir: string;
  /** Null for none. */
  readonly rerankerDir: string | null;
  /** Threads of one inference. One leaves the other cores to other requests. */
  readonly threads: number;
}

export interface EncoderFacts {
  /** Hash of the folder's files: vectors by one id are comparable. */
  readonly id: string;
  readonly dimensions: number;
}

export interface RerankerFacts {
  readonly id: string;
  /** `features`: names of the features in order. `pairs`: a cross-encoder, which reads the texts themselves. */
  readonly reads:
    { readonly kind: 'features'; readonly features: readonly string[] } | { readonly kind: 'pairs' };
}

export type InferenceTask =
  /** → the vectors, one after another. */
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

/** Said once by the thread, before it takes batches. A model that does not open leaves the other as it is. */
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
      /** Time the thread took, without the way there and back. */
      readonly inferenceMs: number;
    };

/** Parts of a text that an encoder may weigh differently. Their order gives the ids in a model's `field_ids`, from 1. */
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

/** What becomes one vector. An encoder that knows no fields reads the parts' texts one after another. */
export type EncoderText = readonly EncoderPart[];
