import type { CacheMarker, Citation, CitationLocation, JsonObject } from '@gateway/interchange';
import { asList, asNumber, asObject, asText, isObject, optional } from '../../json/read-members.ts';
import { own } from './own-members.ts';

/**
 * Parses a cache point, which requests caching of the preceding blocks. Returns undefined for blocks that are
 * not cache points, and for cache points with unknown fields.
 */
export function parseCachePoint(block: JsonObject): CacheMarker | undefined {
  const point = asObject(block.cachePoint);
  if (point === undefined || Object.keys(block).length !== 1 || point.type !== 'default') return undefined;
  const ttl = asText(point.ttl);
  const isWhole = Object.keys(point).length === (ttl === undefined ? 1 : 2);
  return isWhole ? optional('ttl', ttl) : undefined;
}

export function renderCachePoint(marker: CacheMarker): JsonObject {
  return { cachePoint: { type: 'default', ...optional('ttl', marker.ttl) } };
}

/** The kinds of `location` in a citation, each with the field that contains the index. */
const placeKinds = [
  ['documentChar', 'characters', 'documentIndex'],
  ['documentPage', 'pages', 'documentIndex'],
  ['documentChunk', 'chunks', 'documentIndex'],
  ['searchResultLocation', 'search-result', 'searchResultIndex'],
] as const;

export function parseCitation(raw: JsonObject): Citation {
  const location = asObject(raw.location) ?? {};
  const texts = asList(raw.sourceContent).flatMap((item) =>
    isObject(item) ? (asText(item.text) ?? []) : [],
  );
  return {
    ...optional('citedText', texts.length === 0 ? undefined : texts.join('')),
    ...optional('title', asText(raw.title)),
    ...optional('url', asText(asObject(location.web)?.url)),
    ...optional('location', parseLocation(location)),
    extensions: own.of(raw),
  };
}

function parseLocation(location: JsonObject): CitationLocation | undefined {
  for (const [member, kind, indexMember] of placeKinds) {
    const place = asObject(location[member]);
    if (place === undefined) continue;
    return {
      kind,
      index: asNumber(place[indexMember]) ?? 0,
      start: asNumber(place.start) ?? 0,
      end: asNumber(place.end) ?? 0,
    };
  }
  return undefined;
}

/** A citation that was parsed from the Converse format is rendered unchanged. */
export function renderCitation(citation: Citation): JsonObject {
  const raw = citation.extensions?.converse;
  if (raw !== undefined) return raw;
  const { citedText, title, url } = citation;
  return {
    ...optional('title', title),
    ...(citedText === undefined ? {} : { sourceContent: [{ text: citedText }] }),
    ...optional('location', renderLocation(citation) ?? (url === undefined ? undefined : { web: { url } })),
  };
}

function renderLocation({ location }: Citation): JsonObject | undefined {
  const kind = placeKinds.find(([, name]) => name === location?.kind);
  if (location === undefined || kind === undefined) return undefined;
  const [member, , indexMember] = kind;
  return { [member]: { [indexMember]: location.index, start: location.start, end: location.end } };
}

const base64Text = /^[A-Za-z0-9+/=_-]+$/;

interface RedactedThinking {
  readonly redacted: string;
  readonly isBase64: boolean;
}

/**
 * Parses hidden reasoning, which consists of base64-encoded bytes in the Converse format. For Claude, the
 * bytes are the text of the field `data` in Claude's own API
 * (https://platform.claude.com/docs/en/build-with-claude/extended-thinking). The interchange contains the
 * text of the field `data`. Bytes from other models remain base64-encoded.
 */
export function parseRedacted(base64: string): RedactedThinking {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  const isText = base64Text.test(text) && renderRedacted(text) === base64;
  return isText ? { redacted: text, isBase64: false } : { redacted: base64, isBase64: true };
}

export function renderRedacted(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}
