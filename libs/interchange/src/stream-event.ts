import type { AudioPart, Citation, DocumentPart, ImagePart, OpaquePart } from './chat-part.ts';
import type { Extensions } from './extensions.ts';
import type { ProviderFormat } from './request-outline.ts';

/** Why the model stopped. The provider's own word travels beside it as `rawReason`. */
export type FinishReason =
  'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' | 'pause' | 'error' | 'other';

/** Tokens as the provider counted them. `inputTokens` includes the cached ones, read and written. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
  /** Input tokens written to the provider's prompt cache. */
  readonly cacheWriteTokens?: number;
  /** Output tokens spent on reasoning. */
  readonly reasoningTokens?: number;
  /** What the provider charges for, where it says that it is less than what was read and written. */
  readonly billedInputTokens?: number;
  readonly billedOutputTokens?: number;
}

/** A place in an answer: the choice (0 unless the client asked for `n` answers), and the block within it. */
interface BlockPlace {
  readonly choice: number;
  /** Numbered in the order in which the choice's blocks start. */
  readonly block: number;
}

interface BlockStart extends BlockPlace {
  readonly extensions?: Extensions;
}

interface TextDelta extends BlockPlace {
  readonly text: string;
}

export interface MessageStart {
  readonly type: 'message-start';
  /** The format that the provider speaks. */
  readonly format: ProviderFormat;
  readonly id?: string;
  readonly model?: string;
  /** Unix time in seconds. */
  readonly createdAt?: number;
}

export interface ToolCallStart extends BlockStart {
  readonly type: 'tool-call-start';
  readonly id: string;
  readonly name: string;
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
  /** Thinking that is shown to nobody: a block that has it has no deltas. */
  readonly redacted?: string;
}

/** What the text of a block rests on. Comes after the block's start, and before its end. */
export interface CitationEvent extends BlockPlace {
  readonly type: 'citation';
  readonly citation: Citation;
}

/** A part that arrives whole: it has no start and end. */
export interface PartEvent extends BlockPlace {
  readonly type: 'part';
  readonly part: ImagePart | DocumentPart | AudioPart | OpaquePart;
}

/**
 * Members that the interchange has no word for. Later ones add to earlier ones: lists grow, objects merge, all else is
 * replaced. `choice` says nothing for members of the answer itself.
 */
export interface ExtensionEvent {
  readonly type: 'extension';
  readonly scope: 'answer' | 'choice' | 'message';
  readonly choice: number;
  readonly extensions: Extensions;
}

export interface UsageEvent {
  readonly type: 'usage';
  /** All so far, not what is new: the last one counts. */
  readonly usage: TokenUsage;
  /** The provider's own figures. Whoever changes `usage` leaves them out. */
  readonly extensions?: Extensions;
}

export interface FinishEvent {
  readonly type: 'finish';
  readonly choice: number;
  readonly reason: FinishReason;
  readonly rawReason: string;
}

/** The provider said, inside the answer, that it failed. */
export interface ErrorEvent {
  readonly type: 'error';
  readonly message: string;
  readonly code?: string;
  readonly errorType?: string;
  readonly extensions?: Extensions;
}

/** What a provider's answer is made of, streamed or plain, whatever the format. */
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
  /** The format's own success terminator (`data: [DONE]`, `message_stop`, …). Without it a stream is truncated. */
  | { readonly type: 'message-end' };
