import type { Extensions } from './extensions.ts';
import type { MessageRole, ToolChoice } from './request-outline.ts';
import type { CacheMarker, ChatPart } from './chat-part.ts';

/** A whole chat request, in no format: what the translated lane carries. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly toolChoice: ToolChoice;
  readonly settings: ChatSettings;
  readonly stream: boolean;
  /** Whether a streamed answer is to tell its usage; a plain one always does. */
  readonly streamsUsage: boolean;
  readonly extensions?: Extensions;
}

/** One turn of a conversation. System messages stand where the client put them. */
export interface ChatMessage {
  readonly role: MessageRole;
  readonly parts: readonly ChatPart[];
  readonly extensions?: Extensions;
}

/** A tool that the model may call. */
export type ChatTool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly description?: string;
      /** The JSON Schema of the arguments. */
      readonly parameters?: unknown;
      readonly strict?: boolean;
      readonly cacheMarker?: CacheMarker;
      readonly extensions?: Extensions;
    }
  /** A tool that takes text instead of JSON; what constrains the text is in `extensions`. */
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly cacheMarker?: CacheMarker;
      readonly extensions?: Extensions;
    }
  /** A tool of the provider's own. */
  | { readonly kind: 'built-in'; readonly cacheMarker?: CacheMarker; readonly extensions: Extensions };

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

/** Something of a request that the provider's format cannot carry. */
export interface Loss {
  /** The field, in the caller's spelling (`messages[2].content[0]`), or the setting's name. */
  readonly field: string;
  readonly reason: string;
}
