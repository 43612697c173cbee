import type { ByteRange } from './byte-edit.ts';

/** The chat formats that clients can use. */
export type ClientFormat = 'chat-completions' | 'messages' | 'converse';

/** The chat formats that providers can have. */
export type ProviderFormat = ClientFormat | 'gemini' | 'cohere';

/**
 * The parts of a chat request that the gateway needs, each with its byte range in the client's body.
 * Strings are decoded on demand only. A long conversation therefore costs one pass over its bytes and no object tree.
 */
export interface RequestOutline {
  readonly format: ClientFormat;
  /** As the client wrote it, provider prefix included. */
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly ToolOutline[];
  /** The whole tools array. Equal bytes mean equal lists. Undefined when the client sent no tools. */
  readonly toolsRange: ByteRange | undefined;
  readonly toolChoice: ToolChoice;
  readonly messages: readonly MessageOutline[];
  /** The system prompt, in formats that keep it apart from the messages. Its `index` has no meaning. */
  readonly system?: MessageOutline;
  readonly maxOutputTokens?: number;
}

/** How the client constrains the model's choice of tools. `tool` forces one by name. */
export type ToolChoice =
  | { readonly mode: 'unset' | 'auto' | 'none' | 'required' }
  | { readonly mode: 'tool'; readonly name: string }
  /** `required`: the model must call one of them. */
  | { readonly mode: 'allowed'; readonly names: readonly string[]; readonly required?: boolean };

export interface ToolOutline {
  /** Position in the client's list. */
  readonly index: number;
  /** Undefined for a built-in (server) tool without a name. */
  readonly name: string | undefined;
  /**
   * True for a tool that is always forwarded: a tool without a schema from the client, or a deferred tool. A deferred tool
   * costs nothing until the provider loads it, and the request can refer to it by name.
   */
  readonly builtIn: boolean;
  /** True when the client marked the tool for caching. Such a tool is always forwarded and never edited. */
  readonly cacheControl: boolean;
  /** The element of the tools array. */
  readonly range: ByteRange;
}

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

export interface MessageOutline {
  readonly index: number;
  readonly role: MessageRole;
  readonly range: ByteRange;
  /** True when the message, or a part of it, carries the client's cache marker. */
  readonly cacheControl: boolean;
  /** Tool calls in this (assistant) message. */
  readonly toolCalls: readonly ToolCallOutline[];
  /** Ids of the tool calls that this message contains the results of. */
  readonly toolResultIds: readonly string[];
  /** Byte ranges of the text parts in the body, including quotes and escapes. Computed on demand. */
  textRanges(): readonly ByteRange[];
  /** The text parts, joined with newlines. Decoded on demand from the original bytes. */
  text(): string;
}

export interface ToolCallOutline {
  readonly id: string;
  readonly name: string;
}
