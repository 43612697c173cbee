import type { ChatPart, JsonObject, Loss, MediaSource } from '@gateway/interchange';
import { renderMediaUrl } from '../../common/media-url.ts';
import { asObject, optional } from '../../json/read-members.ts';
import { readOwn } from '../own-extensions.ts';

/** An element of a content list; none, and a loss, for what the format has no part for. */
export function renderContentPart(part: ChatPart, field: string, losses: Loss[]): JsonObject[] {
  const own = readOwn(part);
  const lose = (reason: string): JsonObject[] => {
    losses.push({ field: `${field}.${part.type}`, reason });
    return [];
  };
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...own }];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text, ...own }];
    case 'image': {
      const url = renderMediaUrl(part.source);
      if (url === undefined) return lose('a file of another provider');
      return [{ ...own, type: 'image_url', image_url: { ...asObject(own.image_url), url } }];
    }
    case 'audio':
      return part.source.kind === 'base64'
        ? [renderAudio(part.source, own)]
        : lose('the format takes sound inline only');
    case 'document':
      return [renderFile(part.source, part.name, own)];
    case 'opaque':
      return 'part' in own ? [own.part as JsonObject] : lose('a part of another format');
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return lose('not content in this format');
  }
}

function renderAudio(source: Extract<MediaSource, { kind: 'base64' }>, own: JsonObject): JsonObject {
  const format = source.mediaType?.replace(/^audio\//, '');
  return {
    ...own,
    type: 'input_audio',
    input_audio: { ...asObject(own.input_audio), data: source.data, ...optional('format', format) },
  };
}

function renderFile(source: MediaSource, name: string | undefined, own: JsonObject): JsonObject {
  const place = source.kind === 'file' ? { file_id: source.id } : { file_data: renderMediaUrl(source) };
  return { ...own, type: 'file', file: { ...asObject(own.file), ...place, ...optional('filename', name) } };
}
