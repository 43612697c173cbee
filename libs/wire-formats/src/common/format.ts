import type {
  ByteEdit,
  ByteRange,
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  ChatTool,
  ClientFormat,
  JsonObject,
  Loss,
  MessageRole,
  ProviderError,
  ProviderFormat,
  PublicError,
  RequestOutline,
  StreamEvent,
  ToolDescription,
  ToolOutline,
} from '@gateway/interchange';
import type { GatewayError } from '@gateway/errors';
import type { JsonTape } from '../json/json-tape.ts';

/** The changes to a request that is forwarded in its own format. */
export interface RequestEdit {
  /** The client's body, which `tape` and `outline` describe. */
  readonly bytes: Uint8Array;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** The provider's name of the model, without a provider prefix. Absent: unchanged. */
  readonly model?: string;
  /** Indexes of the tools to keep. Absent: all. */
  readonly keepTools?: ReadonlySet<number>;
  /** Indexes of kept tools that the provider loads lazily. Ignored in formats without deferral. */
  readonly deferTools?: ReadonlySet<number>;
  /**
   * Indexes of the only kept tools that the model may call, besides `addTools`. Ignored in formats without allowed
   * tools.
   */
  readonly allowTools?: ReadonlySet<number>;
  /** Edits of tool definitions, by tool index. Ascending, with offsets relative to the definition's first byte. */
  readonly schemaEdits?: ReadonlyMap<number, readonly ByteEdit[]>;
  /** Replacements of message texts. Each replaces a whole JSON string, with offsets in the body. */
  readonly contextEdits?: readonly ByteEdit[];
  /** Replacements of the names and arguments of calls, with offsets in the body. */
  readonly callEdits?: readonly ByteEdit[];
  /** Tools of the gateway, appended after the kept ones. */
  readonly addTools?: readonly ChatTool[];
  /** Messages that the gateway appends after the client's last one. */
  readonly addMessages?: readonly ChatMessage[];
}

/** The position of a function call in the transcript. Ranges are offsets in the body. */
export interface CallPlace {
  readonly id: string;
  readonly name: string;
  readonly nameRange: ByteRange;
  readonly argumentsRange: ByteRange;
  /** True when the arguments are a JSON string that contains JSON, false when they are plain JSON. */
  readonly isText: boolean;
  /** The arguments as the client's JSON text. Decoded on demand. */
  argumentsText(): string;
}

export interface EditedRequest {
  /** Ascending, relative to the client's body. */
  readonly edits: readonly ByteEdit[];
  readonly bytes: Uint8Array;
}

/** Text of the conversation for the compressor. Parts are listed in the order in which the model reads them. */
export interface ContextPart {
  /** Index of the message. -1 for the system prompt in a format that has it outside the messages. */
  readonly message: number;
  readonly speaker: MessageRole;
  /** Range of the JSON string that may be replaced. Undefined: the text is read-only and serves as a reference. */
  readonly range: ByteRange | undefined;
  /** Decoded on demand. */
  text(): string;
}

/** Defaults for values that the format requires in a response. A provider of another format may not send them. */
export interface AnswerDefaults {
  readonly id: string;
  readonly model: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  /** Duration of the response in milliseconds. For a format that reports it. */
  readonly latencyMs?: number;
}

export interface StreamRenderOptions extends AnswerDefaults {
  /** Whether the stream includes token usage. A format that always includes it may ignore this. */
  readonly includesUsage: boolean;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Renders one response as a stream of bytes. Create one per answer; not for concurrent use. */
export interface StreamRenderer {
  render(event: StreamEvent): string | Uint8Array;
}

/** Parses one response from a provider's bytes, in chunks of any size. Create one per answer. */
export interface StreamParser {
  /** @throws GatewayError `upstream_invalid` */
  push(chunk: Uint8Array): StreamEvent[];
  /** The error in the latest chunk, if `push` returned events before it. The next call throws this error. */
  readonly failure?: GatewayError | undefined;
  /**
   * Call when the provider has closed the stream without an error. Without a `message-end` so far, the response is
   * truncated.
   */
  end(): StreamEvent[];
}

/** Request values from the URL, in a format that has them there. */
export interface RequestRoute {
  /** The client's model name, with its provider prefix, percent-decoded. */
  readonly model: string;
  readonly stream: boolean;
}

/** Response headers as returned by Node's HTTP client, with lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parses what clients of the format send, and renders what they receive. */
export interface ClientHalf {
  /** Value of `content-type` for a non-streaming response. */
  readonly contentType: string;
  /** Value of `content-type` for a streamed response. */
  readonly streamContentType: string;
  /** The encoding of a stream: server-sent events, or Amazon's binary event stream. */
  readonly framing: 'sse' | 'event-stream';
  /** The response header in which the format's clients look for the request id, besides `x-request-id`. Null: none. */
  readonly requestIdHeader: string | null;
  /** True when the format has one text per choice, so that all text blocks of a response become one text. */
  readonly joinsTexts: boolean;
  /**
   * Reads and checks the fields that the gateway needs.
   *
   * @param route required by formats with the model in the URL; ignored by others
   * @throws GatewayError `missing_field`, `invalid_field`, `unknown_field`
   */
  outlineRequest(tape: JsonTape, route?: RequestRoute): RequestOutline;
  /** The texts of the messages from index `from` on: tool results, user texts and the model's own texts and calls. */
  listContext(tape: JsonTape, from: number): ContextPart[];
  /** Name, description, schema and examples of the given tools, in their order. */
  toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[];
  /** Whether a streamed response includes its token usage. Always true if the format requires it in streams. */
  requestsStreamedUsage(tape: JsonTape): boolean;
  /** The positions of the function calls in the transcript. */
  listCalls(tape: JsonTape): CallPlace[];
  /** Parses the whole request into a tree, for the `translated` lane. Check it with `outlineRequest` first. */
  parseRequest(tape: JsonTape, route?: RequestRoute): ChatRequest;
  renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject;
  openStreamRenderer(options: StreamRenderOptions): StreamRenderer;
  renderError(error: PublicError, requestId: string): RenderedError;
  /** Renders an error after the stream has started. The stream ends after these bytes. */
  renderStreamError(error: PublicError, requestId: string): string | Uint8Array;
}

export interface RequestRenderOptions {
  /** The provider's name of the model. */
  readonly model: string;
  /** The field for the output limit, for a provider that accepts only one of the two. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** The output limit for a request without one, in a format that requires it. */
  readonly maxOutputTokensDefault?: number;
  /** False when the model rejects a reasoning effort. The effort is then a loss. */
  readonly takesReasoningEffort?: boolean;
  /** The API version of the request, in a format that has versions. Absent: the format chooses. */
  readonly apiVersion?: string;
}

export interface RenderedRequest {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
}

/** Renders what providers of the format receive, and parses what they send. */
export interface ProviderHalf {
  /** Matches a whole tool name that the format's providers accept. */
  readonly toolNamePattern: RegExp;
  /** The format's finish reason for a response that the model ended by itself. */
  readonly finishedReason: string;
  /** The API version to send a request with. Only in a format that has versions. */
  chooseApiVersion?(request: ChatRequest): string;
  renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest;
  /** @throws GatewayError `upstream_invalid` */
  parseResponse(bytes: Uint8Array): StreamEvent[];
  openStreamParser(): StreamParser;
  /** Some formats send the kind of an error in a header. */
  parseError(status: number, body: string, headers?: AnswerHeaders): ProviderError;
}

/** A format of providers. Formats do not depend on each other. */
export interface WireFormat<Name extends ProviderFormat = ProviderFormat> {
  readonly name: Name;
  /**
   * Extension fields that only record how the format spells a value of the interchange. Other formats can ignore them
   * without a loss.
   */
  readonly spellings: readonly string[];
  readonly provider: ProviderHalf;
}

/** A format of providers and clients. Its requests can be forwarded in the same format, with edits in place. */
export interface ClientWireFormat extends WireFormat<ClientFormat> {
  readonly client: ClientHalf;
  editRequest(request: RequestEdit): EditedRequest;
}
