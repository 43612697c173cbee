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

/** What to change in a request that goes on in its own format. */
export interface RequestEdit {
  /** The client's body, as `tape` and `outline` describe it. */
  readonly bytes: Uint8Array;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** The model as the provider knows it, without a provider prefix. Absent: as it is. */
  readonly model?: string;
  /** Positions of the tools that stay. Absent: all. */
  readonly keepTools?: ReadonlySet<number>;
  /** Positions of tools whose loading is left to the provider, in a format that has it; of those that stay. */
  readonly deferTools?: ReadonlySet<number>;
  /** Positions of the only tools that may be called, beside `addTools`, in a format that can say so; of those that stay. */
  readonly allowTools?: ReadonlySet<number>;
  /** By position of the tool: edits of its definition, relative to the definition's first byte, ascending. */
  readonly schemaEdits?: ReadonlyMap<number, readonly ByteEdit[]>;
  /** Texts of messages that go out in other words: whole JSON strings, in the body's bytes. */
  readonly contextEdits?: readonly ByteEdit[];
  /** Calls that go out in other words: names and arguments, in the body's bytes. */
  readonly callEdits?: readonly ByteEdit[];
  /** Tools of the gateway's own, after those that stay. */
  readonly addTools?: readonly ChatTool[];
  /** Turns that the client does not know of, after its last one. */
  readonly addMessages?: readonly ChatMessage[];
}

/** Where a transcript's call of a function stands, in the body's bytes. */
export interface CallPlace {
  readonly id: string;
  readonly name: string;
  readonly nameRange: ByteRange;
  readonly argumentsRange: ByteRange;
  /** Whether the arguments stand there as a text that holds JSON, or as the JSON itself. */
  readonly isText: boolean;
  /** The arguments' JSON, as the client wrote it; decoded on demand. */
  argumentsText(): string;
}

export interface EditedRequest {
  /** Ascending, relative to the client's body. */
  readonly edits: readonly ByteEdit[];
  readonly bytes: Uint8Array;
}

/** A piece of a conversation as the compressor looks at it, in the order in which the model reads it. */
export interface ContextPart {
  /** The message it stands in; -1 for the system prompt of a format that keeps it apart. */
  readonly message: number;
  readonly speaker: MessageRole;
  /** The JSON string that may be replaced by another. Undefined: it is only there to be referred to. */
  readonly range: ByteRange | undefined;
  /** Decoded on demand. */
  text(): string;
}

/** What the format demands of an answer and a provider of another format may not say. */
export interface AnswerDefaults {
  readonly id: string;
  readonly model: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  /** How long the answer took. For a format that tells it. */
  readonly latencyMs?: number;
}

export interface StreamRenderOptions extends AnswerDefaults {
  /** Whether the client wants a streamed answer's usage: a format that always tells it may ignore this. */
  readonly includesUsage: boolean;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes one answer as a stream of bytes. Made for one answer, and used by one caller. */
export interface StreamRenderer {
  render(event: StreamEvent): string | Uint8Array;
}

/** Reads one answer from a provider's bytes, however they are cut. Made for one answer. */
export interface StreamParser {
  /** @throws GatewayError `upstream_invalid` */
  push(chunk: Uint8Array): StreamEvent[];
  /** Why the latest chunk could not be read to its end, where it told events before that: the next call throws it. */
  readonly failure?: GatewayError | undefined;
  /** The provider closed in good order. Without a `message-end` by then the answer is truncated. */
  end(): StreamEvent[];
}

/** What a request's address says of it, in a format that says it there. */
export interface RequestRoute {
  /** The model as the client wrote it, provider prefix included, percent-decoded. */
  readonly model: string;
  readonly stream: boolean;
}

/** Header values as Node's HTTP client gives them. Lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a client of the format says and hears. */
export interface ClientHalf {
  /** Values of the content type headers. */
  readonly contentType: string;
  readonly streamContentType: string;
  /** The encoding of a stream: server-sent events, or Amazon's binary event stream. */
  readonly framing: 'sse' | 'event-stream';
  /** The response header in which the format's clients look for the request id, besides `x-request-id`. Null: none. */
  readonly requestIdHeader: string | null;
  /** True when the format has one text per choice, so that all text blocks of an answer become one text. */
  readonly joinsTexts: boolean;
  /**
   * `route` is owed to a format whose requests name their model in the address; others do not look at it.
   *
   * @throws GatewayError `missing_field`, `invalid_field`, `unknown_field`
   */
  outlineRequest(tape: JsonTape, route?: RequestRoute): RequestOutline;
  /** What the model reads as text, message by message, from an index on: results, people's words, the model's own turns. */
  listContext(tape: JsonTape, from: number): ContextPart[];
  toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[];
  /** Whether a streamed answer shall include its token usage. True in a format whose streams always include it. */
  requestsStreamedUsage(tape: JsonTape): boolean;
  /** Where the transcript's calls of functions stand. */
  listCalls(tape: JsonTape): CallPlace[];
  /** The whole request. Costs a tree: for the translated lane. Judge it with `outlineRequest` first. */
  parseRequest(tape: JsonTape, route?: RequestRoute): ChatRequest;
  renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject;
  openStreamRenderer(options: StreamRenderOptions): StreamRenderer;
  renderError(error: PublicError, requestId: string): RenderedError;
  /** The bytes that tell a failure after the first byte is out. The stream ends after them. */
  renderStreamError(error: PublicError, requestId: string): string | Uint8Array;
}

export interface RequestRenderOptions {
  /** The model as the provider knows it. */
  readonly model: string;
  /** The member for the output limit, where a provider insists on one. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** The output limit of a request that says none, in a format that insists on one. */
  readonly maxOutputTokensDefault?: number;
  /** False: the model refuses a reasoning effort, and it is a loss. */
  readonly takesReasoningEffort?: boolean;
  /** The version that the request is sent with, in a format that has versions. Absent: the format's own choice. */
  readonly apiVersion?: string;
}

export interface RenderedRequest {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
}

/** What a provider of the format hears and says. */
export interface ProviderHalf {
  /** What is taken as the name of a tool, from beginning to end. */
  readonly toolNamePattern: RegExp;
  /** The format's finish reason for an answer that the model ended by itself. */
  readonly finishedReason: string;
  /** The API version to send a request with. Only in a format that has versions. */
  chooseApiVersion?(request: ChatRequest): string;
  renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest;
  /** @throws GatewayError `upstream_invalid` */
  parseResponse(bytes: Uint8Array): StreamEvent[];
  openStreamParser(): StreamParser;
  /** Some formats tell the kind of an error in a header. */
  parseError(status: number, body: string, headers?: AnswerHeaders): ProviderError;
}

/** A format that providers speak. Formats know nothing of each other. */
export interface WireFormat<Name extends ProviderFormat = ProviderFormat> {
  readonly name: Name;
  /**
   * Extension members that only record how the format spells a value which the interchange carries. Another format
   * loses nothing when it ignores them.
   */
  readonly spellings: readonly string[];
  readonly provider: ProviderHalf;
}

/** A format that clients speak too. Its requests can go on in it, edited in place. */
export interface ClientWireFormat extends WireFormat<ClientFormat> {
  readonly client: ClientHalf;
  editRequest(request: RequestEdit): EditedRequest;
}
