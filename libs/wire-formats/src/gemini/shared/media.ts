import type { AudioPart, DocumentPart, ImagePart, JsonObject, MediaSource } from '@gateway/interchange';
import { asObject, asText, optional, otherMembers } from '../../json/read-members.ts';
import { camelMembers, own } from './own-members.ts';

/** Types of media by the end of a file's name: those that Gemini reads. */
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

const usualTypes = { image: 'image/jpeg', document: 'application/pdf', audio: 'audio/wav' } as const;
type MediaKind = keyof typeof usualTypes;

/** What part of the interchange holds media of that type. */
function mapMediaKind(mediaType: string | undefined): MediaKind {
  if (mediaType?.startsWith('image/') === true) return 'image';
  return mediaType?.startsWith('audio/') === true ? 'audio' : 'document';
}

/** Gemini insists on a type. Where nobody says it, the name of the file does, or else what is usual. */
export function chooseMediaType(source: MediaSource, kind: MediaKind): string {
  if (source.kind === 'base64') return source.mediaType ?? usualTypes[kind];
  const path = (source.kind === 'url' ? source.url : source.id).replace(/[?#].*$/s, '');
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return mediaTypes.get(ending) ?? usualTypes[kind];
}

/** Google's own addresses of files: only its models can read them. */
export function isGoogleFile(uri: string): boolean {
  return uri.startsWith('gs://') || uri.startsWith('https://generativelanguage.googleapis.com/');
}

type MediaPart = ImagePart | DocumentPart | AudioPart;

/** `inlineData` or `fileData`; undefined where the part is neither. `part` has its names in camel case. */
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
