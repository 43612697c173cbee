import type { ByteRange } from './byte-edit.ts';

/** The chat formats a client may speak to the gateway. */
export type ClientFormat = 'chat-completions' | 'messages' | 'converse';

/** The formats a provider may be spoken to in. */
export type ProviderFormat = ClientFormat | 'gemini' | 'cohere';

/**
 * What the gateway needs to know of a chat request, with the place of each thing in the client's own bytes.
 * It is an outline, not a copy: texts are decoded only when asked for, so a long conversation costs one pass
 * over its bytes and no tree.
 */
export interface RequestOutline {
  readonly format: ClientFormat;
  /** As the client wrote it, provider prefix included. */
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly ToolOutline[];
  /** The whole tools array: equal bytes are an equal list. Undefined when the client sent none. */
  readonly toolsRange: ByteRange | undefined;
  readonly toolChoice: ToolChoice;
  readonly messages: readonly MessageOutline[];
  /** What stands before the conversation, where the format keeps it apart. Its `index` says nothing. */
  readonly system?: MessageOutline;
  /** The client's end-user or metadata fields are not read; only what decides something is here. */
  readonly maxOutputTokens?: number;
}

/** How the client constrains the model's choice of tools. `tool` forces one by name. */
export type ToolChoice =
  | { readonly mode: 'unset' | 'auto' | 'none' | 'required' }
  | { readonly mode: 'tool'; readonly name: string }
  /** `required`: one of them has to be called. */
  | { readonly mode: 'allowed'; readonly names: readonly string[]; readonly required?: boolean };

export interface ToolOutline {
  /** Position in the client's list. */
  readonly index: number;
  /** Undefined for a built-in (server) tool that has no name of its own. */
  readonly name: string | undefined;
  /**
   * True for a tool that is always forwarded: one without a schema of the client's to judge, or one whose loading the
   * client leaves to the provider, which costs nothing until then and may be referred to by name.
   */
  readonly builtIn: boolean;
  /** True when the client put a cache marker on it: it is always forwarded, and never edited. */
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
  /** Calls that this (assistant) message makes. */
  readonly toolCalls: readonly ToolCallOutline[];
  /** Ids of the calls that this message answers. */
  readonly toolResultIds: readonly string[];
  /** Where the text parts stand in the body, quotes and escapes with them; found on demand. */
  textRanges(): readonly ByteRange[];
  /** The text parts joined with newlines; decoded on demand, from the original bytes. */
  text(): string;
}

export interface ToolCallOutline {
  readonly id: string;
  readonly name: string;
}
