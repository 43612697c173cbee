import type { Citation, CitationLocation, JsonObject } from '@gateway/interchange';
import { asList, asNumber, asObject, asText, isObject, optional } from '../../json/read-members.ts';
import { own } from './own-members.ts';

/**
 * Names of the index, start and end fields for each kind of citation location. The end position is
 * exclusive.
 */
const places = {
  char_location: ['characters', 'document_index', 'start_char_index', 'end_char_index'],
  page_location: ['pages', 'document_index', 'start_page_number', 'end_page_number'],
  content_block_location: ['chunks', 'document_index', 'start_block_index', 'end_block_index'],
  search_result_location: ['search-result', 'search_result_index', 'start_block_index', 'end_block_index'],
} as const satisfies Record<string, readonly [CitationLocation['kind'], string, string, string]>;

export function parseCitation(raw: JsonObject): Citation {
  return {
    ...optional('citedText', asText(raw.cited_text)),
    ...optional('title', asText(raw.title) ?? asText(raw.document_title)),
    ...optional('url', asText(raw.url) ?? asText(raw.source)),
    ...optional('location', parseLocation(raw)),
    extensions: own.of({ citation: raw }),
  };
}

/** Parses the citations in a text block. Returns undefined if the block has no citations. */
export function parseCitations(raw: unknown): readonly Citation[] | undefined {
  const citations = asList(raw).filter(isObject).map(parseCitation);
  return citations.length === 0 ? undefined : citations;
}

function parseLocation(raw: JsonObject): CitationLocation | undefined {
  const place = Object.entries(places).find(([type]) => type === raw.type)?.[1];
  if (place === undefined) return undefined;
  const [kind, ...members] = place;
  const [index, start, end] = members.map((member) => asNumber(raw[member]));
  return index === undefined || start === undefined || end === undefined
    ? undefined
    : { kind, index, start, end };
}

/**
 * A citation in Anthropic's shape. Returns undefined if the citation has neither a known location nor a URL.
 */
export function renderCitation(citation: Citation): JsonObject | undefined {
  const raw = asObject(own.read(citation).citation);
  if (raw !== undefined) return raw;
  const { location, citedText = '', title = null, url } = citation;
  if (location !== undefined) return renderLocation(location, { citedText, title, url });
  if (url === undefined) return undefined;
  return {
    type: 'web_search_result_location',
    cited_text: citedText,
    url,
    title,
    encrypted_index: '',
  };
}

function renderLocation(
  { kind, index, start, end }: CitationLocation,
  { citedText, title, url }: { citedText: string; title: string | null; url: string | undefined },
): JsonObject | undefined {
  const found = Object.entries(places).find(([, [placeKind]]) => placeKind === kind);
  if (found === undefined) return undefined;
  const [type, [, indexMember, startMember, endMember]] = found;
  const named = kind === 'search-result' ? { title, source: url ?? '' } : { document_title: title };
  return {
    type,
    cited_text: citedText,
    [indexMember]: index,
    ...named,
    [startMember]: start,
    [endMember]: end,
  };
}
