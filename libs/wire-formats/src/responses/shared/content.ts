import type { ChatPart, Citation, JsonObject, Loss, MediaSource } from '@gateway/interchange';
import { parseMediaUrl, renderMediaUrl } from '../../common/media-url.ts';
import { asList, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own } from './settings.ts';

/** Parses the content of a message or of a tool result. The content is a string or a list of parts. */
export function parseContent(content: unknown): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content).map(parsePart);
}

/**
 * Parses a part. A part with an unknown shape is kept unchanged and sent only to providers that use the
 * responses format.
 */
function parsePart(raw: unknown): ChatPart {
  const known = isObject(raw) ? (parseText(raw) ?? parseMedia(raw)) : undefined;
  return known ?? { type: 'opaque', extensions: own.of({ part: raw }) };
}

function parseText(raw: JsonObject): ChatPart | undefined {
  const { type } = raw;
  const isRefusal = type === 'refusal';
  const text = asText(isRefusal ? raw.refusal : raw.text);
  const isText = type === 'input_text' || type === 'output_text' || type === 'text';
  if ((!isText && !isRefusal) || text === undefined) return undefined;
  const spelling = type === 'text' ? { type } : {};
  const rest = { ...otherMembers(raw, ['type', isRefusal ? 'refusal' : 'text']), ...spelling };
  return { type: isRefusal ? 'refusal' : 'text', text, ...own.with(rest) };
}

function parseMedia(raw: JsonObject): ChatPart | undefined {
  if (raw.type !== 'input_image' && raw.type !== 'input_file') return undefined;
  const isImage = raw.type === 'input_image';
  const places = isImage
    ? ([['image_url', parseMediaUrl]] as const)
    : ([
        ['file_data', parseFileData],
        ['file_url', parseMediaUrl],
      ] as const);
  for (const [member, parse] of [...places, ['file_id', parseFileId] as const]) {
    const place = asText(raw[member]);
    if (place === undefined) continue;
    const name = isImage ? undefined : asText(raw.filename);
    const read = ['type', member, ...(isImage ? [] : ['filename'])];
    const rest = own.with(otherMembers(raw, read));
    const source = parse(place);
    return isImage
      ? { type: 'image', source, ...rest }
      : { type: 'document', source, ...optional('name', name), ...rest };
  }
  return undefined;
}

/** Parses base64 data, which may be part of a data URL. */
function parseFileData(data: string): MediaSource {
  const source = parseMediaUrl(data);
  return source.kind === 'url' ? { kind: 'base64', mediaType: undefined, data } : source;
}

function parseFileId(id: string): MediaSource {
  return { kind: 'file', id };
}

/** Extension fields that record how the client encoded a part. Rendered parts omit the listed fields. */
export const spelled = ['item', 'isJoined', 'content'] as const;

/**
 * Renders one part of a message or of a tool result. Returns an empty list and adds a loss if the responses
 * format cannot express the part.
 */
export function renderPart(
  part: ChatPart,
  textType: 'input_text' | 'output_text',
  field: string,
  losses: Loss[],
): JsonObject[] {
  const members = otherMembers(own.read(part), spelled);
  const lose = (reason: string): JsonObject[] => {
    losses.push({ field: `${field}.${part.type}`, reason });
    return [];
  };
  if (part.cacheMarker !== undefined)
    losses.push({ field: `${field}.cache_control`, reason: 'the format has no such member' });
  switch (part.type) {
    case 'text':
      return [{ type: textType, text: part.text, ...members }];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text, ...members }];
    case 'image':
      if (part.source.kind === 'file' && !isOpenAiFile(part.source.id)) break;
      return [{ type: 'input_image', ...renderImage(part.source), ...members }];
    case 'document':
      if (part.source.kind === 'file' && !isOpenAiFile(part.source.id)) break;
      return [{ type: 'input_file', ...renderFile(part.source, part.name), ...members }];
    case 'opaque':
      return 'part' in members ? [members.part as JsonObject] : lose('the part belongs to another format');
    case 'audio':
      return lose('the format does not take audio');
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return lose('the format does not allow this part in content');
  }
  return lose('the file is stored at another provider');
}

/**
 * Whether a file id has the form of OpenAI's file ids. File ids in OpenAI's Files API start with `file-`.
 * File ids of some other providers start with `file_`.
 */
function isOpenAiFile(id: string): boolean {
  return /^file[-_]/.test(id);
}

function renderImage(source: MediaSource): JsonObject {
  return source.kind === 'file' ? { file_id: source.id } : { image_url: renderMediaUrl(source) };
}

/**
 * Renders the source of a document. A file sent as bytes needs a name, because OpenAI derives the file type
 * from the name.
 */
function renderFile(source: MediaSource, name: string | undefined): JsonObject {
  switch (source.kind) {
    case 'file':
      return { file_id: source.id, ...optional('filename', name) };
    case 'url':
      return { file_url: source.url, ...optional('filename', name) };
    case 'base64': {
      const mediaType = source.mediaType ?? 'application/pdf';
      const data = renderMediaUrl({ ...source, mediaType });
      return { filename: name ?? nameFile(mediaType), file_data: data };
    }
  }
}

function nameFile(mediaType: string): string {
  return mediaType.startsWith('text/') ? 'document.txt' : `document.${mediaType.replace(/^.*[/.+-]/, '')}`;
}

/** Parses a text annotation. Only annotations for web pages have a URL. */
export function parseAnnotation(raw: JsonObject): Citation {
  const url = raw.type === 'url_citation' ? asText(raw.url) : undefined;
  const title = asText(raw.title) ?? asText(raw.filename);
  return { ...optional('url', url), ...optional('title', title), extensions: own.of({ annotation: raw }) };
}
