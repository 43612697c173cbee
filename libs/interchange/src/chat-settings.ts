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
  readonly thinking?: ThinkingSetting;
  readonly responseFormat?: ResponseFormat;
  /** The client's name for its own end user. */
  readonly endUser?: string;
}

/** Whether the model reasons before it answers, where the client says it in tokens instead of a word. */
export interface ThinkingSetting {
  readonly enabled: boolean;
  /** The most tokens that it may take. Absent: the provider's choice. */
  readonly budgetTokens?: number;
  /** Whether the answer tells it. Absent: as the provider does. */
  readonly shown?: boolean;
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
