import type { AudioPart, Citation, DocumentPart, ImagePart, OpaquePart } from './chat-part.ts';
import type { Extensions } from './extensions.ts';
import type { ProviderFormat } from './request-outline.ts';

/** The reason why the model stopped. `rawReason` contains the finish reason as the provider spells it. */
export type FinishReason =
  'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' | 'pause' | 'error' | 'other';

/**
 * Token counts reported by the provider. `inputTokens` includes tokens read from and written to the cache.
 */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
  /** Input tokens written to the provider's prompt cache. */
  readonly cacheWriteTokens?: number;
  /** Output tokens spent on reasoning. */
  readonly reasoningTokens?: number;
  /** Number of billed tokens, for providers that bill fewer tokens than they report. */
  readonly billedInputTokens?: number;
  readonly billedOutputTokens?: number;
}

/**
 * A position in a response. The position consists of the choice (0 unless the client requested `n` choices)
 * and the block within the choice.
 */
interface BlockPlace {
  readonly choice: number;
  /** Blocks in a choice are numbered in the order in which they start. */
  readonly block: number;
}

interface BlockStart extends BlockPlace {
  readonly extensions?: Extensions;
}

interface TextDelta extends BlockPlace {
  readonly text: string;
  readonly extensions?: Extensions;
}

/**
 * The provider's report about a prompt cache miss. Providers report cache misses only if the client requests
 * the report.
 */
export interface CacheMissReport {
  /** The first part of the prompt that differs from the earlier request that the client specifies. */
  readonly part: 'model' | 'tools' | 'system' | 'messages';
  /** Input tokens that were not read from the cache. Null if the provider does not report the number. */
  readonly tokens: number | null;
}

export interface MessageStart {
  readonly type: 'message-start';
  /** The format of the provider's response. */
  readonly format: ProviderFormat;
  readonly id?: string;
  readonly model?: string;
  /** Creation time of the response as Unix time in seconds. */
  readonly createdAt?: number;
  readonly cacheMiss?: CacheMissReport;
}

export interface ToolCallStart extends BlockStart {
  readonly type: 'tool-call-start';
  readonly id: string;
  readonly name: string;
  /** The namespace of the tool, which is also the first part of the name (`qualifyTool`). */
  readonly namespace?: string;
  readonly kind: 'function' | 'custom';
  readonly signature?: string;
}

export interface ToolCallDelta extends BlockPlace {
  readonly type: 'tool-call-delta';
  readonly argumentsText: string;
}

export interface ThinkingEnd extends BlockPlace {
  readonly type: 'thinking-end';
  readonly signature?: string;
  /** Hidden reasoning. A block of hidden reasoning has no deltas. */
  readonly redacted?: string;
  /** Fields that are known only at the end of the block. These fields replace the start event's extensions. */
  readonly extensions?: Extensions;
}

/** A source that is cited in a block's text. The citation is sent between the block's start and end events. */
export interface CitationEvent extends BlockPlace {
  readonly type: 'citation';
  readonly citation: Citation;
}

/** A message part that is sent as a whole, without start and end events. */
export interface PartEvent extends BlockPlace {
  readonly type: 'part';
  readonly part: ImagePart | DocumentPart | AudioPart | OpaquePart;
}

/**
 * Fields that the interchange types do not define. Lists are appended to earlier lists, objects are merged,
 * and other values are replaced. In the scope `answer`, the field `choice` has no meaning.
 */
export interface ExtensionEvent {
  readonly type: 'extension';
  readonly scope: 'answer' | 'choice' | 'message';
  readonly choice: number;
  readonly extensions: Extensions;
}

export interface UsageEvent {
  readonly type: 'usage';
  /** Cumulative token counts. The last usage event contains the final counts. */
  readonly usage: TokenUsage;
  /** The provider's original usage object. Omit the original usage object if `usage` was modified. */
  readonly extensions?: Extensions;
}

export interface FinishEvent {
  readonly type: 'finish';
  readonly choice: number;
  readonly reason: FinishReason;
  readonly rawReason: string;
}

/** An error that the provider reports within the response. */
export interface ErrorEvent {
  readonly type: 'error';
  readonly message: string;
  readonly code?: string;
  readonly errorType?: string;
  readonly extensions?: Extensions;
}

/** One event in a response, streaming or non-streaming, in any format. */
export type StreamEvent =
  | MessageStart
  | ({ readonly type: 'text-start' } & BlockStart)
  | ({ readonly type: 'text-delta' } & TextDelta)
  | ({ readonly type: 'text-end' } & BlockPlace)
  | ({ readonly type: 'thinking-start' } & BlockStart)
  | ({ readonly type: 'thinking-delta' } & TextDelta)
  | ThinkingEnd
  | ({ readonly type: 'refusal-start' } & BlockStart)
  | ({ readonly type: 'refusal-delta' } & TextDelta)
  | ({ readonly type: 'refusal-end' } & BlockPlace)
  | ToolCallStart
  | ToolCallDelta
  | ({ readonly type: 'tool-call-end' } & BlockPlace)
  | CitationEvent
  | PartEvent
  | ExtensionEvent
  | UsageEvent
  | FinishEvent
  | ErrorEvent
  /** The format's success terminator (`data: [DONE]`, `message_stop`, …). Truncated streams have no terminator. */
  | { readonly type: 'message-end' };
