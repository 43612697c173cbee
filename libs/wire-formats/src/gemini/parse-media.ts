import type { AudioPart, DocumentPart, ImagePart, JsonObject, MediaSource } from '@gateway/interchange';
import { asObject, asText, optional, otherMembers } from '../json/read-members.ts';
import { camelMembers } from './camel-members.ts';
import { isGoogleFile, mapMediaKind } from './media.ts';
import { own } from './own.ts';

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
