import type { AudioPart, DocumentPart, ImagePart, JsonObject, MediaSource } from '@gateway/interchange';
import { asObject, asText, optional, otherMembers } from '../../json/read-members.ts';
import { camelMembers, own } from './own-members.ts';

/** Media types that Gemini supports, by file extension. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['html', 'text/html'],
  ['csv', 'text/csv'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
]);

const defaultTypes = { image: 'image/jpeg', document: 'application/pdf', audio: 'audio/wav' } as const;
type MediaKind = keyof typeof defaultTypes;

/** Returns the message part type for a media type. */
function mapMediaKind(mediaType: string | undefined): MediaKind {
  if (mediaType?.startsWith('image/') === true) return 'image';
  return mediaType?.startsWith('audio/') === true ? 'audio' : 'document';
}

/**
 * Chooses a media type, because Gemini requires a media type. Returns the given media type, the type for the
 * file extension, or a default.
 */
export function chooseMediaType(source: MediaSource, kind: MediaKind): string {
  if (source.kind === 'base64') return source.mediaType ?? defaultTypes[kind];
  const path = (source.kind === 'url' ? source.url : source.id).replace(/[?#].*/s, '');
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return mediaTypes.get(ending) ?? defaultTypes[kind];
}

/**
 * Whether a URI points to a file in Google's storage. Only Google's models can read files in Google's
 * storage.
 */
export function isGoogleFile(uri: string): boolean {
  return uri.startsWith('gs://') || uri.startsWith('https://generativelanguage.googleapis.com/');
}

type MediaPart = ImagePart | DocumentPart | AudioPart;

/**
 * Parses `inlineData` or `fileData`. Returns undefined for parts without media. The names in `part` are in
 * camel case.
 */
export function parseMediaPart(part: JsonObject): MediaPart | undefined {
  const inline = asObject(part.inlineData);
  if (inline !== undefined) return parseInline(part, camelMembers(inline));
  const file = asObject(part.fileData);
  return file === undefined ? undefined : parseFile(part, camelMembers(file));
}

function parseInline(part: JsonObject, blob: JsonObject): MediaPart | undefined {
  const data = asText(blob.data);
  if (data === undefined) return undefined;
  const mediaType = asText(blob.mimeType);
  const rest = {
    ...otherMembers(part, ['inlineData']),
    ...optional('inlineData', otherMembers(blob, ['data', 'mimeType', 'displayName'])),
  };
  return mediaPart(mediaType, { kind: 'base64', mediaType, data }, blob, rest);
}

function parseFile(part: JsonObject, file: JsonObject): MediaPart | undefined {
  const uri = asText(file.fileUri);
  if (uri === undefined) return undefined;
  const mediaType = asText(file.mimeType);
  const source: MediaSource = isGoogleFile(uri) ? { kind: 'file', id: uri } : { kind: 'url', url: uri };
  const rest = {
    ...otherMembers(part, ['fileData']),
    ...optional('fileData', otherMembers(file, ['fileUri', 'mimeType', 'displayName'])),
    spelling: { mimeType: mediaType ?? null },
  };
  return mediaPart(mediaType, source, file, rest);
}

function mediaPart(
  mediaType: string | undefined,
  source: MediaSource,
  named: JsonObject,
  rest: JsonObject,
): MediaPart {
  const type = mapMediaKind(mediaType);
  const name = asText(named.displayName);
  if (type === 'document') return { type, source, ...optional('name', name), ...own.with(rest) };
  const unnamed =
    name === undefined ? rest : { ...rest, spelling: { ...asObject(rest.spelling), displayName: name } };
  return { type, source, ...own.with(unnamed) };
}
