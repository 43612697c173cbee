/** A half-open byte range, where `start` is the offset of the first byte and `end` is the offset after the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * An edit that replaces the bytes in a range. An empty replacement deletes the bytes in the range. An empty
 * range inserts the replacement.
 */
export interface ByteEdit extends ByteRange {
  readonly replacement: string;
}

/** The chat formats for which the gateway plans requests. */
export type PlannedFormat = 'chat-completions' | 'messages' | 'converse';

/** The formats of the chat APIs that the gateway offers to clients. */
export type ClientFormat = PlannedFormat | 'responses';

/** The chat formats that providers use. */
export type ProviderFormat = ClientFormat | 'gemini' | 'cohere';

/**
 * The parts of a chat request that the gateway needs, each with its byte range in the client's body. Strings
 * are decoded only on demand. Parsing takes one pass over the bytes and builds no object tree.
 */
export interface RequestOutline {
  readonly format: ClientFormat;
  /** The model name as the client spelled it, including the provider prefix. */
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly ToolOutline[];
  /**
   * The byte range of the whole tools array. Two tool lists are equal if their bytes are equal. Undefined
   * if the client sent no tools.
   */
  readonly toolsRange: ByteRange | undefined;
  readonly toolChoice: ToolChoice;
  readonly messages: readonly MessageOutline[];
  /**
   * The system prompt, in formats that keep the system prompt separate from the messages. For a system
   * prompt, `index` has no meaning.
   */
  readonly system?: MessageOutline;
  readonly maxOutputTokens?: number;
}

/** The client's restrictions on the model's choice of tools. `tool` forces one tool by name. */
export type ToolChoice =
  | { readonly mode: 'unset' | 'auto' | 'none' | 'required' }
  | { readonly mode: 'tool'; readonly name: string }
  /** If `required` is true, the model must call one of the tools in `names`. */
  | { readonly mode: 'allowed'; readonly names: readonly string[]; readonly required?: boolean };

export interface ToolOutline {
  /** The tool's position in the client's tool list. */
  readonly index: number;
  /** The tool's name. Undefined for a built-in (server) tool without a name. */
  readonly name: string | undefined;
  /** The namespace of the tool, which is also the first part of the name (`qualifyTool`). */
  readonly namespace?: string;
  /**
   * True for a tool that is always forwarded (a tool without a schema or a deferred tool). A deferred
   * tool costs no tokens until the provider loads the tool, and the request can refer to the tool by name.
   */
  readonly builtIn: boolean;
  /** True if the client marked the tool for caching. A marked tool is always forwarded and never edited. */
  readonly cacheControl: boolean;
  /** The byte range of the tool's element in the tools array. */
  readonly range: ByteRange;
}

/**
 * Returns the unique name of a tool in a namespace. Tools in different namespaces of a request may have
 * the same name. Function names contain no dot, so the returned name differs from the names of all other
 * tools. If a deferred function has no namespace, OpenAI uses the function's name as the namespace in calls.
 */
export function qualifyTool(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === name ? name : `${namespace}.${name}`;
}

/** Returns the name of a tool without the namespace. */
export function unqualifyTool({ namespace, name }: { namespace?: string; name: string }): string {
  const prefix = namespace === undefined ? '' : `${namespace}.`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

export interface MessageOutline {
  readonly index: number;
  readonly role: MessageRole;
  readonly range: ByteRange;
  /** True if the client put a cache marker on the message or on one of its parts. */
  readonly cacheControl: boolean;
  /** Tool calls in this assistant message. */
  readonly toolCalls: readonly ToolCallOutline[];
  /** The call ids of the tool results in this message. */
  readonly toolResultIds: readonly string[];
  /**
   * Byte ranges of the text parts in the body, including quotes and escapes. The ranges are computed on
   * demand.
   */
  textRanges(): readonly ByteRange[];
  /**
   * The text parts of the message joined with newlines. The text is decoded on demand from the original
   * bytes.
   */
  text(): string;
}

export interface ToolCallOutline {
  readonly id: string;
  readonly name: string;
}
