import type { ChatPart, DocumentPart, JsonObject } from '@gateway/interchange';
import { renderMediaUrl } from '../../common/media-url.ts';
import { asObject } from '../../json/read-members.ts';
import { own, readRest } from '../own.ts';
import type { RenderContext } from './render-context.ts';

/** An element of a content list; none, and a loss, for what the format has no part for. */
export function renderPart(part: ChatPart, field: string, context: RenderContext): JsonObject[] {
  const lose = (reason: string): JsonObject[] => {
    context.lose(field, reason);
    return [];
  };
  if (part.cacheMarker !== undefined) context.lose(`${field}.cache_control`, 'Cohere caches by itself');
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...readRest(part) }];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'thinking':
      if (part.signature !== undefined || part.redacted !== undefined)
        context.lose(`${field}.signature`, 'the format signs no thinking');
      return part.text === '' ? [] : [{ type: 'thinking', thinking: part.text, ...readRest(part) }];
    case 'image': {
      const url = renderMediaUrl(part.source);
      if (url === undefined) return lose('a file of another provider');
      const { image_url: image, ...rest } = readRest(part);
      return [{ type: 'image_url', image_url: { url, ...asObject(image) }, ...rest }];
    }
    case 'document':
      return addDocument(part, context) ? [] : lose('the format takes documents as text only');
    case 'opaque':
      return 'part' in own.read(part)
        ? [own.read(part).part as JsonObject]
        : lose('a part of another format');
    default:
      return lose('the format has no such part');
  }
}

/** A document of text becomes one of the request's documents, which the model cites from. */
function addDocument({ source, name }: DocumentPart, { documents }: RenderContext): boolean {
  const isText = source.kind === 'base64' && source.mediaType?.startsWith('text/') === true;
  if (!isText) return false;
  const text = Buffer.from(source.data, 'base64').toString('utf8');
  const data = name === undefined ? { text } : { title: name, text };
  documents.push({ id: `document_${documents.length + 1}`, data });
  return true;
}
