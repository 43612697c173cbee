import type {
  ByteEdit,
  ByteRange,
  ChatAnswer,
  ChatRequest,
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
import type { EditedRequest, RequestEdit } from './request-edit.ts';

/** The position of a function call in the transcript, as byte offsets into the request body. */
export interface CallPlace {
  readonly id: string;
  readonly name: string;
  readonly nameRange: ByteRange;
  readonly argumentsRange: ByteRange;
  /** The edits that remove the namespace of the called tool. */
  readonly namespaceEdits?: readonly ByteEdit[];
  /** Whether the arguments are JSON text in a string, and not a JSON value such as an object. */
  readonly isText: boolean;
  /** The arguments as JSON text, exactly as the client sent them. The arguments are decoded on demand. */
  argumentsText(): string;
}

/**
 * A section of the conversation's text, for the compressor. Sections are in the order in which the model reads them.
 */
export interface ContextPart {
  /**
   * The index of the message. The index is -1 for the system prompt in formats that keep the system prompt
   * outside the messages.
   */
  readonly message: number;
  readonly speaker: MessageRole;
  /**
   * The byte range of the JSON string, if the string may be replaced. If `range` is undefined, the text is
   * read-only and serves only as context.
   */
  readonly range: ByteRange | undefined;
  /** The byte ranges of the text, which is either a JSON string or the name and arguments of a tool call. */
  readonly source: readonly ByteRange[];
  /** The text of the section, decoded on demand. */
  text(): string;
}

/** Default values for response fields that the client's format requires but the provider may omit. */
export interface AnswerDefaults {
  readonly id: string;
  readonly model: string;
  /** The creation time of the response, as Unix time in seconds. */
  readonly createdAt: number;
  /** Response duration in milliseconds, for formats that report a duration. */
  readonly latencyMs?: number;
}

export interface StreamRenderOptions extends AnswerDefaults {
  /** Whether the rendered stream includes token usage. Formats that always include usage may ignore `includesUsage`. */
  readonly includesUsage: boolean;
  /**
   * Estimates the input tokens, for formats that send usage at the start of a stream. Most providers send
   * usage at the end of a stream. If `estimateInputTokens` is absent, unknown input tokens are reported as 0.
   */
  readonly estimateInputTokens?: () => number;
  /** The last frame that the client received. Formats that number their events continue from the frame's number. */
  readonly lastFrame?: Uint8Array | undefined;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Renders a single response as a byte stream. Each response needs a separate renderer. A renderer is not safe
 * for concurrent use.
 */
export interface StreamRenderer {
  render(event: StreamEvent): string | Uint8Array;
}

/**
 * Parses one response from the provider's bytes, in chunks of any size. Each response needs a separate
 * parser.
 */
export interface StreamParser {
  /** @throws GatewayError `upstream_invalid` */
  push(chunk: Uint8Array): StreamEvent[];
  /** The error that follows the latest events from `push`. The next call to `push` throws `failure`. */
  readonly failure?: GatewayError | undefined;
  /**
   * Call this method after the provider has closed the stream without an error. If the parser emitted no
   * `message-end` event, the response is truncated.
   */
  end(): StreamEvent[];
}

/** Request settings that some formats put in the URL. */
export interface RequestRoute {
  /** The client's model name, with its provider prefix, percent-decoded. */
  readonly model: string;
  readonly stream: boolean;
}

/** Response headers as returned by Node's HTTP client, with lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parses client requests in this format and renders the responses. */
export interface ClientHalf {
  /** Value of `content-type` for a non-streaming response. */
  readonly contentType: string;
  /** Value of `content-type` for a streamed response. */
  readonly streamContentType: string;
  /** The stream encoding, which is either server-sent events or Amazon's binary event stream. */
  readonly framing: 'sse' | 'event-stream';
  /**
   * The response header from which clients of this format read the request id, in addition to `x-request-id`.
   * Null if the format defines no header for the request id.
   */
  readonly requestIdHeader: string | null;
  /** Whether messages in the format can contain encrypted or signed reasoning from any provider. */
  readonly carriesReasoning: boolean;
  /** True if the format has only one text per choice. The text blocks of a response are then merged. */
  readonly joinsTexts: boolean;
  /** Whether a response may contain the reasoning of earlier responses. */
  readonly joinsResponses?: true;
  /**
   * Reads and validates the fields that the gateway needs.
   * @param route required by formats with the model in the URL, ignored by other formats
   * @throws GatewayError `missing_field`, `invalid_field`, `unknown_field`
   */
  outlineRequest(tape: JsonTape, route?: RequestRoute): RequestOutline;
  /** Returns the tool results, user text, model text and tool calls in the messages from index `from` onward. */
  listContext(tape: JsonTape, from: number): ContextPart[];
  /** Returns the name, description, schema and examples of each given tool, in the given order. */
  toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[];
  /**
   * Whether a streamed response includes token usage. Returns true for formats in which streams always
   * include usage.
   */
  requestsStreamedUsage(tape: JsonTape): boolean;
  /** Returns the positions of the function calls in the transcript. */
  listCalls(tape: JsonTape): CallPlace[];
  /**
   * Returns the names of the deferred tools that tool searches in the transcript found. Absent for formats
   * that cannot defer tools.
   */
  listFoundTools?(tape: JsonTape): ReadonlySet<string>;
  /**
   * Parses the full request into a tree, for requests in the `translated` lane. Call `outlineRequest` first
   * to validate the request.
   */
  parseRequest(tape: JsonTape, route?: RequestRoute): ChatRequest;
  renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject;
  openStreamRenderer(options: StreamRenderOptions): StreamRenderer;
  renderError(error: PublicError, requestId: string): RenderedError;
  /** Renders an error after the stream has started. The stream ends after the rendered error. */
  renderStreamError(error: PublicError, requestId: string): string | Uint8Array;
}

export interface RequestRenderOptions {
  /** The provider's model name. */
  readonly model: string;
  /** The output limit field for a provider that accepts only `max_tokens` or only `max_completion_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** The default output limit. Only formats that require an output limit use the default. */
  readonly maxOutputTokensDefault?: number;
  /** False if the model rejects a reasoning effort. If false, a reasoning effort is reported as a loss. */
  readonly takesReasoningEffort?: boolean;
  /**
   * True if the model accepts system messages after user messages. Models that reject system messages after user
   * messages get system messages only before the conversation. Moving a system message changes the prompt's prefix.
   */
  readonly takesSystemTurns?: boolean;
  /** The API version, for formats that have API versions. If no version is given, the format chooses the version. */
  readonly apiVersion?: string;
  /**
   * A key for the provider's prompt cache. Requests with the same key use the same cache. Formats that have
   * no field for the key ignore it. A key from the client overrides this key.
   */
  readonly promptCacheKey?: string;
}

/** The rules for the interchange's `cacheMarker` field, which marks the end of a prompt prefix to cache. */
export interface CacheMarkerRules {
  /** Maximum number of cache markers in a request. */
  readonly markersMax: number;
  /** Whether the provider accepts a cache marker after the tools in requests to this model. */
  marksTools(model: string): boolean;
}

export interface RenderedRequest {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
}

/** Renders requests for providers that use this format, and parses their responses. */
export interface ProviderHalf {
  /** Pattern for complete tool names that providers with this format accept. */
  readonly toolNamePattern: RegExp;
  /** The format's finish reason for a response that the model completed. */
  readonly finishedReason: string;
  /** The rules for cache markers. Absent for formats without cache markers. */
  readonly cacheMarkers?: CacheMarkerRules;
  /** Chooses the API version for a request. Absent for formats without API versions. */
  chooseApiVersion?(request: ChatRequest): string;
  renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest;
  /** @throws GatewayError `upstream_invalid` */
  parseResponse(bytes: Uint8Array): StreamEvent[];
  openStreamParser(): StreamParser;
  /**
   * Parses an error response. The response headers are needed because some formats send the error type in a
   * header.
   */
  parseError(status: number, body: string, headers?: AnswerHeaders): ProviderError;
}

/** A format that providers use. No format depends on another format. */
export interface WireFormat<Name extends ProviderFormat = ProviderFormat> {
  readonly name: Name;
  /**
   * Extension fields that only record the client's spelling of a value in the interchange. If another format
   * ignores such a spelling field, the omission is not a loss.
   */
  readonly spellings: readonly string[];
  /** Whether a custom tool can have a grammar. In formats without grammars, a custom tool's grammar is a loss. */
  readonly takesGrammars?: true;
  /**
   * Request fields that have the same name and meaning in this format as in another format. A translated
   * request keeps the shared request fields.
   */
  readonly adoptedMembers?: { readonly [Other in ProviderFormat]?: readonly string[] };
  readonly provider: ProviderHalf;
}

/**
 * A format that both providers and clients use. Requests in this format can be edited in place and forwarded
 * in the same format.
 */
export interface ClientWireFormat extends WireFormat<ClientFormat> {
  readonly client: ClientHalf;
  editRequest(request: RequestEdit): EditedRequest;
}
