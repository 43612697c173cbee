/** Startup data for the inference thread. */
export interface InferenceThreadData {
  readonly encoderDir: string;
  /** Path to the second encoder's directory. Null if only the first encoder is in use. */
  readonly secondEncoderDir: string | null;
  /** Path to the directory of the reranker. Null if no reranker is configured. */
  readonly rerankerDir: string | null;
  /** Number of threads per inference. With a single thread, the other cores stay free for other requests. */
  readonly threads: number;
}

/**
 * Selects an encoder. The `first` encoder is fast and encodes the tools of every list. The `second` encoder reads
 * whole sentences, takes milliseconds per text, and encodes tools in the background.
 */
export type EncoderPlace = 'first' | 'second';

export interface EncoderFacts {
  /**
   * Hash of the files in the model directory, used as the model's id. Vectors with the same model id are
   * comparable.
   */
  readonly id: string;
  readonly dimensions: number;
}

export interface RerankerFacts {
  readonly id: string;
  /**
   * The input that the reranker reads. A `features` reranker reads rows with the named features, in column order. A
   * `pairs` reranker is a cross-encoder that reads pairs of query and text.
   */
  readonly reads:
    { readonly kind: 'features'; readonly features: readonly string[] } | { readonly kind: 'pairs' };
}

export type InferenceTask =
  /**
   * Encodes texts with the first encoder, unless `encoder` selects the second. The returned array contains
   * the vectors of all texts, concatenated.
   */
  | { readonly kind: 'encode'; readonly texts: readonly EncoderText[]; readonly encoder?: EncoderPlace }
  /** Scores feature rows. Returns one score per feature row. */
  | { readonly kind: 'score_features'; readonly features: Float32Array }
  /** Scores pairs of the query and a text. Returns one score per text. */
  | { readonly kind: 'score_pairs'; readonly query: string; readonly texts: readonly string[] };

export interface InferenceBatch {
  readonly id: number;
  readonly tasks: readonly InferenceTask[];
}

export type InferenceResult = { readonly numbers: Float32Array } | { readonly error: string };

/**
 * Message that reports the loaded models. The inference thread sends this message once, before it accepts
 * batches. If a model fails to load, the router uses only the other models.
 */
export interface InferenceReady {
  readonly kind: 'ready';
  readonly encoder: EncoderFacts | { readonly error: string };
  readonly secondEncoder: EncoderFacts | { readonly error: string } | null;
  readonly reranker: RerankerFacts | { readonly error: string } | null;
}

export type ThreadMessage =
  | InferenceReady
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly results: readonly InferenceResult[];
      /** Computation time in milliseconds, excluding the transfer between threads. */
      readonly inferenceMs: number;
    };

/**
 * Text fields to which an encoder may give different weights. The order of the fields defines the ids in a
 * model's `field_ids`, starting at 1.
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

/** The text to encode as one vector. An encoder without fields reads all parts of the text as one string. */
export type EncoderText = readonly EncoderPart[];
