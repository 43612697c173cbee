import type { Citation, CitationLocation, JsonObject } from '@gateway/interchange';
import { asList, asNumber, asObject, asText, isObject, optional } from '../json/read-members.ts';
import { own } from './own.ts';

/** Members of `location`, each with the kind of place, and the member that counts documents. */
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

/** As it came, if it came in this format. */
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
