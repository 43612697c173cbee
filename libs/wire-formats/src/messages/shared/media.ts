import type { JsonObject, MediaSource } from '@gateway/interchange';
import { asList, asObject, asText } from '../../json/read-members.ts';

const plainText = 'text/plain';

export interface ReadSource {
  readonly source: MediaSource;
  /** True if rendering the source would not produce the original JSON. */
  readonly isRespelled: boolean;
}

/**
 * Parses the source of an image or document. Returns undefined for an unknown source or for content that is
 * not only text.
 */
export function parseSource(raw: unknown): ReadSource | undefined {
  const source = asObject(raw);
  if (source === undefined) return undefined;
  const data = asText(source.data);
  const mediaType = asText(source.media_type);
  const text = source.type === 'text' ? data : readContentText(source);
  const url = asText(source.url);
  const id = asText(source.file_id);
  if (text !== undefined) return plain(textSource(text), source.type !== 'text' || mediaType !== plainText);
  if (source.type === 'base64' && data !== undefined) {
    return plain({ kind: 'base64', mediaType, data }, mediaType === plainText);
  }
  if (source.type === 'url' && url !== undefined) return plain({ kind: 'url', url });
  if (source.type === 'file' && id !== undefined) return plain({ kind: 'file', id }, true);
  return undefined;
}

function plain(source: MediaSource, isRespelled = false): ReadSource {
  return { source, isRespelled };
}

function textSource(text: string): MediaSource {
  return { kind: 'base64', mediaType: plainText, data: Buffer.from(text).toString('base64') };
}

/** Returns the text of an inline document, if the content is a string or consists only of text blocks. */
function readContentText({ type, content }: JsonObject): string | undefined {
  if (type !== 'content') return undefined;
  if (typeof content === 'string') return content;
  const texts = asList(content).map((block) => asText(asObject(block)?.text));
  return Array.isArray(content) && texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
}

/** Renders the source of an image or document. Returns undefined for a file that is stored at another provider. */
export function renderSource(source: MediaSource, kind: 'image' | 'document'): JsonObject | undefined {
  switch (source.kind) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      return undefined;
    case 'base64': {
      const mediaType = source.mediaType ?? guessMediaType(source.data, kind);
      if (kind === 'document' && isText(mediaType)) {
        return { type: 'text', media_type: plainText, data: Buffer.from(source.data, 'base64').toString() };
      }
      return { type: 'base64', media_type: mediaType, data: source.data };
    }
  }
}

/** Whether a document with the media type is sent to Anthropic as plain text. */
function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || mediaType === 'application/json' || mediaType === 'application/xml';
}

/** The leading base64 characters of each file type that Anthropic accepts. */
const signatures = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
  ['JVBER', 'application/pdf'],
] as const;

/**
 * Guesses the media type from the data. The messages format requires a media type, but other formats may omit
 * the media type.
 */
function guessMediaType(data: string, kind: 'image' | 'document'): string {
  const found = signatures.find(([start]) => data.startsWith(start));
  return found?.[1] ?? (kind === 'image' ? 'image/png' : 'application/pdf');
}
