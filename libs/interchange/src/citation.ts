import type { Extensions } from './extensions.ts';

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
