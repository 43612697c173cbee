import type { AudioPart, DocumentPart, ImagePart, JsonObject } from '@gateway/interchange';
import { asObject, asText } from '../../json/read-members.ts';
import { mapToFormat } from '../media-formats.ts';
import { own } from '../own.ts';

type MediaPart = ImagePart | DocumentPart | AudioPart;

/** A media block, or why there can be none. `nameDocument` gives a name that the format allows. */
export function renderMedia(
  part: MediaPart,
  nameDocument: (given: string | undefined) => string,
): JsonObject | string {
  const { spelling, ...rest } = own.read(part);
  const { source } = part;
  if (source.kind === 'url') return 'the format takes media inline only';
  if (source.kind === 'file') return 'a file of another provider';
  const format = mapToFormat(part.type, source.mediaType, source.data) ?? asText(rest.format);
  const spelled = asObject(spelling);
  if (format === undefined && spelled === undefined) {
    return `the format has no name for ${source.mediaType ?? 'media of an unknown type'}`;
  }
  const body: JsonObject = {
    ...(spelled === undefined ? { format } : spelled.format === undefined ? {} : { format: spelled.format }),
    ...(part.type === 'document' ? { name: nameDocument(part.name) } : {}),
    source: renderSource(source.data, spelled?.source),
    ...rest,
  };
  return { [part.type]: body };
}

function renderSource(data: string, spelled: unknown): unknown {
  if (spelled === undefined) return { bytes: data };
  return spelled === 'text' ? { text: Buffer.from(data, 'base64').toString() } : spelled;
}

const nameCharactersMax = 200;

/**
 * Names documents as the API demands: letters, digits, single spaces, hyphens, parentheses and square brackets, each name
 * once. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
 */
export function createDocumentNames(): (given: string | undefined) => string {
  const taken = new Map<string, number>();
  return (given) => {
    const clean = (given ?? '')
      .replace(/[^\p{L}\p{N}\s()[\]-]+/gu, '-')
      .replace(/\s+/g, ' ')
      .trim();
    const name = clean.slice(0, nameCharactersMax) || 'document';
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    // A name that the client wrote in the API's own alphabet is the client's to judge.
    return count === 1 || name === given ? name : `${name.slice(0, nameCharactersMax - 8)} (${count})`;
  };
}
