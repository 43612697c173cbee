import type { Extensions } from './extensions.ts';

/** The client's wish that the prompt up to and including this be kept in the provider's cache. */
export interface CacheMarker {
  /** How long: `5m`, `1h`. Absent: the provider's default. */
  readonly ttl?: string;
}

/** Where the bytes of an image, a document or a sound are. */
export type MediaSource =
  | { readonly kind: 'url'; readonly url: string }
  /** `mediaType` is undefined where the format does not say it. */
  | { readonly kind: 'base64'; readonly mediaType: string | undefined; readonly data: string }
  /** The provider's own id of a file that was uploaded to it before. */
  | { readonly kind: 'file'; readonly id: string };

/** What a text of an answer rests on. */
export interface Citation {
  /** The words of the source. */
  readonly citedText?: string;
  /** The title of the source. */
  readonly title?: string;
  /** The address of the source, where it has one. */
  readonly url?: string;
  /** Where in the request's own documents it stands. */
  readonly location?: CitationLocation;
  /** The citation as its format writes it. */
  readonly extensions?: Extensions;
}

export interface CitationLocation {
  readonly kind: 'characters' | 'pages' | 'chunks' | 'search-result';
  /** Which of the request's documents, or of its search results: 0 is the first. */
  readonly index: number;
  /** The first character, page or chunk, and one past the last. Pages count from 1. */
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

/** The model's reasoning, as far as it was shown. `signature` lets its provider check it in a later turn. */
export interface ThinkingPart extends PartBase {
  readonly type: 'thinking';
  readonly text: string;
  readonly signature?: string;
  /** Thinking that its provider shows to nobody, and takes back as it is. `text` is empty then. */
  readonly redacted?: string;
}

export interface RefusalPart extends PartBase {
  readonly type: 'refusal';
  readonly text: string;
}

/** A call that the assistant makes. A custom tool takes text, a function takes JSON as text. */
export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly kind: 'function' | 'custom';
  readonly argumentsText: string;
  /** Lets the call's provider check the reasoning behind it in a later turn. */
  readonly signature?: string;
}

/** What came of a call. */
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly parts: readonly ChatPart[];
  readonly isError?: boolean;
}

/** A part that one format alone knows; all of it is in `extensions`. */
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
