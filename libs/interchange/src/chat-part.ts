import type { Extensions } from './extensions.ts';

/** Marks the end of a prompt prefix that the provider should cache. */
export interface CacheMarker {
  /** Cache lifetime, for example `5m` or `1h`. If no lifetime is given, the provider's default applies. */
  readonly ttl?: string;
}

/** The location of the bytes of an image, a document or an audio clip. */
export type MediaSource =
  | { readonly kind: 'url'; readonly url: string }
  /** Undefined if the request does not specify the media type. */
  | { readonly kind: 'base64'; readonly mediaType: string | undefined; readonly data: string }
  /** The provider's id of a file that was uploaded earlier. */
  | { readonly kind: 'file'; readonly id: string };

/** A source that supports a passage in a response. */
export interface Citation {
  /** The quoted text from the source. */
  readonly citedText?: string;
  /** The title of the source. */
  readonly title?: string;
  /** The URL of the source, if the source has a URL. */
  readonly url?: string;
  /** The cited position in a document supplied with the request. */
  readonly location?: CitationLocation;
  /** The citation as represented in the original format. */
  readonly extensions?: Extensions;
}

export interface CitationLocation {
  readonly kind: 'characters' | 'pages' | 'chunks' | 'search-result';
  /** Zero-based index of the document or search result in the request. */
  readonly index: number;
  /**
   * The index of the first cited character, page or chunk. `end` is one more than the last cited
   * position. Page numbers start at 1.
   */
  readonly start: number;
  readonly end: number;
}

interface PartBase {
  readonly cacheMarker?: CacheMarker;
  readonly extensions?: Extensions;
}

export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
}

export interface ImagePart extends PartBase {
  readonly type: 'image';
  readonly source: MediaSource;
}

export interface DocumentPart extends PartBase {
  readonly type: 'document';
  readonly source: MediaSource;
  readonly name?: string;
}

export interface AudioPart extends PartBase {
  readonly type: 'audio';
  readonly source: MediaSource;
}

/**
 * The visible part of the model's reasoning. In a later turn, the provider uses `signature` to verify the
 * reasoning.
 */
export interface ThinkingPart extends PartBase {
  readonly type: 'thinking';
  readonly text: string;
  readonly signature?: string;
  /**
   * Hidden reasoning, which must be returned to the provider unchanged. For hidden reasoning, `text` is
   * empty.
   */
  readonly redacted?: string;
}

export interface RefusalPart extends PartBase {
  readonly type: 'refusal';
  readonly text: string;
}

/**
 * A tool call made by the assistant. The arguments of a function are JSON text. A custom tool accepts any
 * text.
 */
export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** The namespace of the tool, which is also the first part of the name (`qualifyTool`). */
  readonly namespace?: string;
  readonly kind: 'function' | 'custom';
  readonly argumentsText: string;
  /**
   * The signature of the tool call. In a later turn, the provider uses the signature to verify the reasoning
   * behind the tool call.
   */
  readonly signature?: string;
}

/** The result of a tool call. */
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly parts: readonly ChatPart[];
  readonly isError?: boolean;
}

/** A message part that only one format defines. The content of the part is stored in `extensions`. */
export interface OpaquePart extends PartBase {
  readonly type: 'opaque';
  readonly extensions: Extensions;
}

export type ChatPart =
  | TextPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | ThinkingPart
  | RefusalPart
  | ToolCallPart
  | ToolResultPart
  | OpaquePart;
