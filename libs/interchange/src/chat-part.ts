import type { CacheMarker } from './cache-marker.ts';
import type { Citation } from './citation.ts';
import type { Extensions } from './extensions.ts';
import type { MediaSource } from './media-source.ts';

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
