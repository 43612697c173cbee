import type {
  AudioPart,
  ChatPart,
  DocumentPart,
  ImagePart,
  JsonObject,
  MediaSource,
} from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own } from './own-members.ts';

/**
 * The Converse format's short names for media types. If a media type has several short names, the gateway
 * sends the first.
 */
const images = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
} as const;

const documents = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
} as const;

const sounds = {
  mp3: 'audio/mp3',
  opus: 'audio/opus',
  wav: 'audio/wav',
  aac: 'audio/aac',
  flac: 'audio/flac',
  mp4: 'audio/mp4',
  ogg: 'audio/ogg',
  mkv: 'audio/x-matroska',
} as const;

type MediaKind = 'image' | 'document' | 'audio';

const formats: Readonly<Record<MediaKind, Readonly<Record<string, string>>>> = {
  image: images,
  document: documents,
  audio: sounds,
};

/** Alternative media types that clients use. */
const aliases: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg', 'audio/mpeg': 'audio/mp3' };

/** The first base64 characters of each file type, computed from the type's magic bytes. */
const beginnings = [
  ['iVBORw0KGgo', 'png'],
  ['/9j/', 'jpeg'],
  ['R0lGOD', 'gif'],
  ['UklGR', 'webp'],
  ['JVBERi', 'pdf'],
] as const;

/** Maps a short name to a media type. Returns undefined for an unknown short name. */
function mapToMediaType(kind: MediaKind, format: string): string | undefined {
  return Object.hasOwn(formats[kind], format) ? formats[kind][format] : undefined;
}

/**
 * Chooses the short name from the media type, or from the first bytes if no media type is given. Returns
 * undefined if no media type matches.
 */
function mapToFormat(kind: MediaKind, mediaType: string | undefined, base64: string): string | undefined {
  const names = formats[kind];
  if (mediaType === undefined || mediaType === '') {
    const found = beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1];
    return found !== undefined && Object.hasOwn(names, found) ? found : undefined;
  }
  const bare = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const type = aliases[bare] ?? bare;
  return Object.keys(names).find((name) => names[name] === type);
}

/**
 * Parses an image, a document or audio. Returns undefined for an unknown shape and for a source that only the
 * Converse format supports (an S3 location).
 */
export function parseMedia(kind: MediaKind, body: JsonObject): ChatPart | undefined {
  const format = asText(body.format);
  const read = readSource(kind, format, asObject(body.source) ?? {});
  if (read === undefined) return undefined;
  const mapped = format !== undefined && mapToMediaType(kind, format) !== undefined;
  const rest = otherMembers(body, ['source', 'name', ...(mapped ? ['format'] : [])]);
  if (kind !== 'document')
    return {
      type: kind,
      source: read.source,
      ...own.with({ ...rest, ...optional('spelling', read.spelling) }),
    };
  const name = asText(body.name);
  // Some models accept document names that the API reference forbids, so the client's name is kept.
  const isOdd = name !== undefined && cleanName(name) !== name;
  const spelling = { ...read.spelling, ...(isOdd ? { name } : {}) };
  return {
    type: kind,
    source: read.source,
    ...optional('name', name),
    ...own.with({ ...rest, ...optional('spelling', spelling) }),
  };
}

interface ReadSource {
  readonly source: MediaSource;
  /** The original source of the media, if the source was not `bytes`. */
  readonly spelling?: JsonObject;
}

function readSource(kind: MediaKind, format: string | undefined, source: JsonObject): ReadSource | undefined {
  const [member, ...others] = Object.keys(source);
  if (member === undefined || others.length > 0) return undefined;
  const value = source[member];
  if (member === 'bytes' && typeof value === 'string') {
    const mediaType = format === undefined ? undefined : mapToMediaType(kind, format);
    return { source: { kind: 'base64', mediaType, data: value } };
  }
  const text = readText(member, value);
  if (kind !== 'document' || text === undefined) return undefined;
  const data = Buffer.from(text).toString('base64');
  return {
    source: { kind: 'base64', mediaType: 'text/plain', data },
    spelling: { source: member === 'text' ? 'text' : source, ...optional('format', format) },
  };
}

/** A document's text, given as one string or a list of text blocks. */
function readText(member: string, value: unknown): string | undefined {
  if (member === 'text') return asText(value);
  if (member !== 'content') return undefined;
  const texts = asList(value).map((block) => (isObject(block) ? asText(block.text) : undefined));
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n');
}

type MediaPart = ImagePart | DocumentPart | AudioPart;

/**
 * Renders a media block, or returns the reason why the media is lost. `nameDocument` returns a document name
 * that the API accepts.
 */
export function renderMedia(
  part: MediaPart,
  nameDocument: (given: string | undefined) => string,
): JsonObject | string {
  const { spelling, ...rest } = own.read(part);
  const { source } = part;
  if (source.kind === 'url') return 'the format accepts only inline media';
  if (source.kind === 'file') return 'the file belongs to another provider';
  const format = mapToFormat(part.type, source.mediaType, source.data) ?? asText(rest.format);
  const spelled = asObject(spelling) ?? {};
  const isText = spelled.source !== undefined;
  if (format === undefined && !isText) {
    return `the format does not support ${source.mediaType ?? 'media of an unknown type'}`;
  }
  const body: JsonObject = {
    ...optional('format', isText ? spelled.format : format),
    ...(part.type === 'document' ? { name: asText(spelled.name) ?? nameDocument(part.name) } : {}),
    source: renderSource(source.data, spelled.source),
    ...rest,
  };
  return { [part.type]: body };
}

function renderSource(data: string, spelled: unknown): unknown {
  if (spelled === undefined) return { bytes: data };
  return spelled === 'text' ? { text: Buffer.from(data, 'base64').toString() } : spelled;
}

const nameCharactersMax = 200;

function cleanName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}\s()[\]-]+/gu, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Creates distinct document names that the API accepts. A document name may contain letters, digits, single
 * spaces, hyphens, parentheses and square brackets
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html).
 */
export function createDocumentNames(): (given: string | undefined) => string {
  const taken = new Map<string, number>();
  return (given) => {
    const name = cleanName(given ?? '').slice(0, nameCharactersMax) || 'document';
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    // A valid document name from the client stays unchanged, even if another document has the same name.
    return count === 1 || name === given ? name : `${name.slice(0, nameCharactersMax - 8)} (${count})`;
  };
}
