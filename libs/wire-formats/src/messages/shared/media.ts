import type { JsonObject, MediaSource } from '@gateway/interchange';
import { asList, asObject, asText } from '../../json/read-members.ts';

const plainText = 'text/plain';

export interface ReadSource {
  readonly source: MediaSource;
  /** True when the format would write the source otherwise than it came. */
  readonly isRespelled: boolean;
}

/** Undefined for a source that we do not know, or that holds more than text. */
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

/** The text of a document that is given as content: a text, or blocks of text alone. */
function readContentText({ type, content }: JsonObject): string | undefined {
  if (type !== 'content') return undefined;
  if (typeof content === 'string') return content;
  const texts = asList(content).map((block) => asText(asObject(block)?.text));
  return Array.isArray(content) && texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
}

/** Undefined for a file of another provider's. */
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

/** What Anthropic takes as text: any text, which it does not look into. */
function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || mediaType === 'application/json' || mediaType === 'application/xml';
}

/** First bytes of the kinds of files that Anthropic takes, in base64. */
const signatures = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
  ['JVBER', 'application/pdf'],
] as const;

/** The format insists on a media type, and others leave it out. */
function guessMediaType(data: string, kind: 'image' | 'document'): string {
  const found = signatures.find(([start]) => data.startsWith(start));
  return found?.[1] ?? (kind === 'image' ? 'image/png' : 'application/pdf');
}
