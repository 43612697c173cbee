import type { ChatPart, JsonObject, MediaSource } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { mapToMediaType, type MediaKind } from '../media-formats.ts';
import { own } from '../own.ts';

/**
 * An image, a document or a sound. Undefined for what only this format can say: a place in S3, which no other provider
 * can read, or a shape that we do not know.
 */
export function parseMedia(kind: MediaKind, body: JsonObject): ChatPart | undefined {
  const format = asText(body.format);
  const read = readSource(kind, format, asObject(body.source) ?? {});
  if (read === undefined) return undefined;
  const mapped = format !== undefined && mapToMediaType(kind, format) !== undefined;
  const rest = otherMembers(body, ['source', 'name', ...(mapped ? ['format'] : [])]);
  const extensions = own.with({ ...rest, ...optional('spelling', read.spelling) });
  if (kind === 'document') {
    return { type: kind, source: read.source, ...optional('name', asText(body.name)), ...extensions };
  }
  return { type: kind, source: read.source, ...extensions };
}

interface ReadSource {
  readonly source: MediaSource;
  /** How a source of another shape than `bytes` was written. */
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

/** A document's text: one, or a list of blocks of it. */
function readText(member: string, value: unknown): string | undefined {
  if (member === 'text') return asText(value);
  if (member !== 'content') return undefined;
  const texts = asList(value).map((block) => (isObject(block) ? asText(block.text) : undefined));
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n');
}
