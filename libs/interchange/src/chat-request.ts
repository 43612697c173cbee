import type { Extensions } from './extensions.ts';
import type { MessageRole, ToolChoice } from './request-outline.ts';
import type { CacheMarker, ChatPart } from './chat-part.ts';

/** A whole chat request, independent of any format. The translated lane uses it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly toolChoice: ToolChoice;
  readonly settings: ChatSettings;
  readonly stream: boolean;
  /** Whether a streamed response includes usage. A non-streaming response always does. */
  readonly streamsUsage: boolean;
  readonly extensions?: Extensions;
}

/** One turn of a conversation. System messages keep their place in the client's list. */
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
  /** A tool that takes text instead of JSON. Constraints on the text are in `extensions`. */
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly cacheMarker?: CacheMarker;
      readonly extensions?: Extensions;
    }
  /** A tool that the provider implements. */
  | { readonly kind: 'built-in'; readonly cacheMarker?: CacheMarker; readonly extensions: Extensions };

/** Settings for the response. The provider's default applies where a setting is absent. */
export interface ChatSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Number of responses (choices). */
  readonly answers?: number;
  readonly parallelToolCalls?: boolean;
  /** The provider's own value: `minimal`, `low`, `medium`, `high`, … */
  readonly reasoningEffort?: string;
  readonly thinking?: ThinkingSetting;
  readonly responseFormat?: ResponseFormat;
  /** The client's id for its own end user. */
  readonly endUser?: string;
}

/** Whether the model reasons before it answers, for clients that set a token budget instead of an effort. */
export interface ThinkingSetting {
  readonly enabled: boolean;
  /** Maximum number of reasoning tokens. Absent: the provider decides. */
  readonly budgetTokens?: number;
  /** Whether the response includes the reasoning. Absent: the provider decides. */
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

/** A part of a request that the target format cannot express. */
export interface Loss {
  /** The field in the caller's spelling (`messages[2].content[0]`), or the name of the setting. */
  readonly field: string;
  readonly reason: string;
}
