import type { AudioPart, DocumentPart, ImagePart, JsonObject } from '@gateway/interchange';
import { asObject, asText, optional } from '../../json/read-members.ts';
import { chooseMediaType, isGoogleFile } from '../media.ts';
import { readRest, readSpelling } from '../own.ts';
import type { RenderContext } from './render-context.ts';

/** `inlineData` for bytes, `fileData` for what has an address. */
export function renderMedia(
  part: ImagePart | DocumentPart | AudioPart,
  field: string,
  context: RenderContext,
): JsonObject[] {
  const { source } = part;
  if (source.kind === 'file' && !isGoogleFile(source.id)) {
    context.lose(field, 'a file of another provider');
    return [];
  }
  const { inlineData, fileData, ...rest } = readRest(part);
  const spelling = readSpelling(part);
  const mimeType =
    spelling.mimeType === null ? undefined : (spelling.mimeType ?? chooseMediaType(source, part.type));
  const name = part.type === 'document' ? part.name : asText(spelling.displayName);
  // A name is told where the file came from Gemini's own format alone: the Developer API refuses it.
  const described = {
    ...optional('mimeType', mimeType),
    ...(context.isOwnFormat ? optional('displayName', name) : {}),
  };
  if (source.kind === 'base64')
    return [{ inlineData: { ...described, data: source.data, ...asObject(inlineData) }, ...rest }];
  const fileUri = source.kind === 'url' ? source.url : source.id;
  return [{ fileData: { ...described, fileUri, ...asObject(fileData) }, ...rest }];
}
