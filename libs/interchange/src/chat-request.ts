import type { Extensions } from './extensions.ts';
import type { MessageRole, ToolChoice } from './request-outline.ts';
import type { CacheMarker, ChatPart } from './chat-part.ts';

/** A complete chat request in a format-independent form, for requests that the gateway translates. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly toolChoice: ToolChoice;
  readonly settings: ChatSettings;
  readonly stream: boolean;
  /**
   * Whether a streamed response includes token usage. A non-streaming response always includes token usage.
   */
  readonly streamsUsage: boolean;
  readonly extensions?: Extensions;
}

/** One turn in a conversation. System messages keep their position in the client's list. */
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
      /** The JSON Schema of the arguments that the tool accepts. */
      readonly parameters?: unknown;
      readonly strict?: boolean;
      readonly cacheMarker?: CacheMarker;
      readonly extensions?: Extensions;
    }
  /** A tool that accepts free text instead of JSON arguments. */
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      /** The grammar that the tool's text input must follow. Without a grammar, any text is valid. */
      readonly grammar?: ToolGrammar;
      readonly cacheMarker?: CacheMarker;
      readonly extensions?: Extensions;
    }
  /** A tool that the provider implements. */
  | { readonly kind: 'built-in'; readonly cacheMarker?: CacheMarker; readonly extensions: Extensions };

export interface ToolGrammar {
  /** The language of the grammar, which is `lark` or `regex`. */
  readonly syntax: string;
  readonly definition: string;
}

/** Settings for the response. If a setting is absent, the provider's default applies. */
export interface ChatSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Number of response choices to generate. */
  readonly answers?: number;
  readonly parallelToolCalls?: boolean;
  /** The reasoning effort as the provider spells it, such as `minimal`, `low`, `medium` or `high`. */
  readonly reasoningEffort?: string;
  readonly thinking?: ThinkingSetting;
  readonly responseFormat?: ResponseFormat;
  /** The id that the client uses for its end user. */
  readonly endUser?: string;
}

/**
 * Whether the model reasons before it responds. Clients that set a token budget instead of an effort level
 * use `ThinkingSetting`.
 */
export interface ThinkingSetting {
  readonly enabled: boolean;
  /** Maximum number of reasoning tokens. By default, the provider chooses the maximum. */
  readonly budgetTokens?: number;
  /**
   * Whether the response includes the model's reasoning. By default, the provider decides whether to
   * include reasoning.
   */
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

/** Part of a request that the target format cannot express. */
export interface Loss {
  /** The lost field, spelled as in the request (`messages[2].content[0]`), or the name of the lost setting. */
  readonly field: string;
  readonly reason: string;
}
