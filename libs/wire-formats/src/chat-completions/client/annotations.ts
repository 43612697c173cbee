import type { ChatPart, Citation, JsonObject, StreamEvent } from '@gateway/interchange';

/** The citations collected so far for one choice, as an immutable object. */
export interface CitedText {
  /** Length of the choice's text so far, in code points. OpenAI counts positions in code points. */
  readonly characters: number;
  /** The open block, with its start position in the text and the web pages that it cites. */
  readonly open: { readonly block: number; readonly start: number; readonly pages: readonly Page[] };
  /** Annotations from blocks that have ended. */
  readonly annotations: readonly JsonObject[];
}

interface Page {
  readonly url: string;
  readonly title: string;
}

export const nothingCited: CitedText = {
  characters: 0,
  open: { block: -1, start: 0, pages: [] },
  annotations: [],
};

/**
 * Maximum number of annotations per response, and of cited pages per block. Real responses have far fewer
 * annotations than the maximum.
 */
const annotationsMax = 1024;
const pagesMax = 64;

/**
 * Adds an event's text length or citation to the citation state of a choice. The chat completions format can
 * cite only web pages. The positions of a citation refer to the choice's full text.
 */
export function noteCitation(cited: CitedText, event: StreamEvent): CitedText {
  switch (event.type) {
    case 'text-start':
      return openBlock(closeBlock(cited), event.block);
    case 'text-delta':
      return { ...cited, characters: cited.characters + countCharacters(event.text) };
    case 'citation':
      return event.block === cited.open.block ? cite(cited, event.citation) : cited;
    case 'text-end':
      return event.block === cited.open.block ? closeBlock(cited) : cited;
    default:
      return cited;
  }
}

/**
 * Returns an object with OpenAI's `annotations` field, for a message or a delta. Returns an empty object if
 * the response cites no web page.
 */
export function renderAnnotations(cited: CitedText): JsonObject {
  const { annotations } = closeBlock(cited);
  return annotations.length === 0 ? {} : { annotations };
}

/** Returns the annotations for a complete message. */
export function annotateParts(parts: readonly ChatPart[]): JsonObject {
  let cited = nothingCited;
  for (const [block, part] of parts.entries()) {
    if (part.type !== 'text') continue;
    const place = { choice: 0, block };
    cited = noteCitation(cited, { type: 'text-start', ...place });
    cited = noteCitation(cited, { type: 'text-delta', ...place, text: part.text });
    for (const citation of part.citations ?? [])
      cited = noteCitation(cited, { type: 'citation', ...place, citation });
  }
  return renderAnnotations(cited);
}

function openBlock(cited: CitedText, block: number): CitedText {
  return { ...cited, open: { block, start: cited.characters, pages: [] } };
}

function cite(cited: CitedText, { url, title }: Citation): CitedText {
  const { open } = cited;
  if (url === undefined || !/^https?:/i.test(url)) return cited;
  if (open.pages.length >= pagesMax || open.pages.some((page) => page.url === url)) return cited;
  return { ...cited, open: { ...open, pages: [...open.pages, { url, title: title ?? '' }] } };
}

function closeBlock(cited: CitedText): CitedText {
  const { characters, open, annotations } = cited;
  if (open.pages.length === 0) return cited;
  const added = open.pages.map(({ url, title }) => ({
    type: 'url_citation',
    url_citation: { start_index: open.start, end_index: characters, title, url },
  }));
  return {
    characters,
    open: { ...open, pages: [] },
    annotations: [...annotations, ...added].slice(0, annotationsMax),
  };
}

function countCharacters(text: string): number {
  let count = text.length;
  // Skips the second half of a surrogate pair, because the pair is one code point.
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}
