/** How the answer is to be made. An absent setting is the provider's default. */
export interface ChatSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** How many answers (choices). */
  readonly answers?: number;
  readonly parallelToolCalls?: boolean;
  /** The provider's own word: `minimal`, `low`, `medium`, `high`, … */
  readonly reasoningEffort?: string;
  readonly responseFormat?: ResponseFormat;
  /** The client's name for its own end user. */
  readonly endUser?: string;
}

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly name: string | undefined;
      readonly schema: unknown;
      readonly strict?: boolean;
      readonly description?: string;
    };
