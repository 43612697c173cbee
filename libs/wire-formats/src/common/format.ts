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

/** The changes to make to a request that is forwarded in its own format. */
export interface RequestEdit {
  /** The client's body, which `tape` and `outline` describe. */
  readonly bytes: Uint8Array;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** The provider's model name, without a provider prefix. If absent, the model is unchanged. */
  readonly model?: string;
  /** Indexes of the tools to keep. If absent, all tools are kept. */
  readonly keepTools?: ReadonlySet<number>;
  /** Indexes of kept tools that the provider loads lazily. Ignored in formats without deferral. */
  readonly deferTools?: ReadonlySet<number>;
  /**
   * If set, the model may call only the kept tools with these indexes and those in `addTools`. Ignored in
   * formats that cannot restrict tools.
   */
  readonly allowTools?: ReadonlySet<number>;
  /**
   * Edits to tool definitions, keyed by tool index. Ascending, with offsets relative to the definition's
   * first byte.
   */
  readonly schemaEdits?: ReadonlyMap<number, readonly ByteEdit[]>;
  /** Replacements for message text. Each replaces a complete JSON string, with offsets into the body. */
  readonly contextEdits?: readonly ByteEdit[];
  /** Replacements for call names and arguments, with offsets into the body. */
  readonly callEdits?: readonly ByteEdit[];
  /** The gateway's own tools, appended after the kept ones. */
  readonly addTools?: readonly ChatTool[];
  /** Messages that the gateway appends after the client's last message. */
  readonly addMessages?: readonly ChatMessage[];
}

/** The position of a function call in the transcript. Ranges are byte offsets into the body. */
export interface CallPlace {
  readonly id: string;
  readonly name: string;
  readonly nameRange: ByteRange;
  readonly argumentsRange: ByteRange;
  /** True if the arguments are a JSON string that contains encoded JSON; false if they are a JSON value. */
  readonly isText: boolean;
  /** The arguments as JSON text, as the client sent them. Decoded on demand. */
  argumentsText(): string;
}

export interface EditedRequest {
  /** Ascending, with offsets into the client's body. */
  readonly edits: readonly ByteEdit[];
  readonly bytes: Uint8Array;
}

/** A piece of conversation text for the compressor. Parts are listed in the order the model reads them. */
export interface ContextPart {
  /** Message index. -1 for the system prompt, in formats that keep it outside the messages. */
  readonly message: number;
  readonly speaker: MessageRole;
  /**
   * Range of the JSON string that may be replaced. If undefined, the text is read-only and serves as a
   * reference.
   */
  readonly range: ByteRange | undefined;
  /** Decoded on demand. */
  text(): string;
}

/** Defaults for response values that the format requires. Providers of other formats may not send them. */
export interface AnswerDefaults {
  readonly id: string;
  readonly model: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  /** Response duration in milliseconds, for formats that report it. */
  readonly latencyMs?: number;
}

export interface StreamRenderOptions extends AnswerDefaults {
  /** Whether the stream includes token usage. Formats that always include usage may ignore this. */
  readonly includesUsage: boolean;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Renders one response as a stream of bytes. Create one renderer per response; not safe for concurrent use.
 */
export interface StreamRenderer {
  render(event: StreamEvent): string | Uint8Array;
}

/** Parses one response from the provider's bytes, in chunks of any size. Create one parser per response. */
export interface StreamParser {
  /** @throws GatewayError `upstream_invalid` */
  push(chunk: Uint8Array): StreamEvent[];
  /** An error found in the latest chunk after `push` had events to return. The next call throws it. */
  readonly failure?: GatewayError | undefined;
  /**
   * Call when the provider has closed the stream without an error. If no `message-end` was returned, the
   * response is truncated.
   */
  end(): StreamEvent[];
}

/** Request values that some formats carry in the URL. */
export interface RequestRoute {
  /** The client's model name, with its provider prefix, percent-decoded. */
  readonly model: string;
  readonly stream: boolean;
}

/** Response headers as returned by Node's HTTP client, with lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parses client requests in this format, and renders the responses. */
export interface ClientHalf {
  /** Value of `content-type` for a non-streaming response. */
  readonly contentType: string;
  /** Value of `content-type` for a streamed response. */
  readonly streamContentType: string;
  /** The stream encoding: server-sent events, or Amazon's binary event stream. */
  readonly framing: 'sse' | 'event-stream';
  /**
   * The response header, besides `x-request-id`, in which this format's clients look for the request id. Null
   * if none.
   */
  readonly requestIdHeader: string | null;
  /** True if the format has one text per choice, so that a response's text blocks are merged. */
  readonly joinsTexts: boolean;
  /**
   * Reads and validates the fields that the gateway needs.
   *
   * @param route required by formats with the model in the URL; ignored by others
   * @throws GatewayError `missing_field`, `invalid_field`, `unknown_field`
   */
  outlineRequest(tape: JsonTape, route?: RequestRoute): RequestOutline;
  /**
   * The text in the messages from index `from` onward: tool results, user text, and the model's own text and
   * calls.
   */
  listContext(tape: JsonTape, from: number): ContextPart[];
  /** The name, description, schema and examples of each given tool, in the given order. */
  toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[];
  /**
   * Whether a streamed response includes token usage. Always true if the format requires usage in streams.
   */
  requestsStreamedUsage(tape: JsonTape): boolean;
  /** The positions of the function calls in the transcript. */
  listCalls(tape: JsonTape): CallPlace[];
  /**
   * Parses the full request into a tree, for the `translated` lane. Call `outlineRequest` first to validate
   * it.
   */
  parseRequest(tape: JsonTape, route?: RequestRoute): ChatRequest;
  renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject;
  openStreamRenderer(options: StreamRenderOptions): StreamRenderer;
  renderError(error: PublicError, requestId: string): RenderedError;
  /** Renders an error after the stream has started. The stream ends after these bytes. */
  renderStreamError(error: PublicError, requestId: string): string | Uint8Array;
}

export interface RequestRenderOptions {
  /** The provider's model name. */
  readonly model: string;
  /** The output limit field to use, for a provider that accepts only one of the two. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** The default output limit, in formats that require one. */
  readonly maxOutputTokensDefault?: number;
  /** False if the model rejects a reasoning effort. The effort is then reported as a loss. */
  readonly takesReasoningEffort?: boolean;
  /** The API version to use, in formats that have versions. If absent, the format chooses one. */
  readonly apiVersion?: string;
  /**
   * The key by which the provider keeps the requests of a conversation on one prompt cache. Ignored in formats
   * without such a key; the client's own key takes precedence.
   */
  readonly promptCacheKey?: string;
}

/** How requests in a format mark prompt prefixes to cache (`cacheMarker` in the interchange). */
export interface CacheMarkerRules {
  /** Maximum number of markers in a request. */
  readonly markersMax: number;
  /** Whether the provider accepts a marker behind the tools of this model. */
  marksTools(model: string): boolean;
}

export interface RenderedRequest {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
}

/** Renders requests for providers of this format, and parses their responses. */
export interface ProviderHalf {
  /** Matches a complete tool name that providers of this format accept. */
  readonly toolNamePattern: RegExp;
  /** The format's finish reason when the model ends the response by itself. */
  readonly finishedReason: string;
  /** Absent in formats without cache markers. */
  readonly cacheMarkers?: CacheMarkerRules;
  /** Chooses the API version for a request. Only in formats that have versions. */
  chooseApiVersion?(request: ChatRequest): string;
  renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest;
  /** @throws GatewayError `upstream_invalid` */
  parseResponse(bytes: Uint8Array): StreamEvent[];
  openStreamParser(): StreamParser;
  /** The response headers are needed because some formats send the error type in a header. */
  parseError(status: number, body: string, headers?: AnswerHeaders): ProviderError;
}

/** A format that providers speak. Formats do not depend on each other. */
export interface WireFormat<Name extends ProviderFormat = ProviderFormat> {
  readonly name: Name;
  /**
   * Extension fields that only record how the client spelled an interchange value. Other formats can ignore
   * them without a loss.
   */
  readonly spellings: readonly string[];
  readonly provider: ProviderHalf;
}

/**
 * A format that both providers and clients speak. Its requests can be edited in place and forwarded in the
 * same format.
 */
export interface ClientWireFormat extends WireFormat<ClientFormat> {
  readonly client: ClientHalf;
  editRequest(request: RequestEdit): EditedRequest;
}
