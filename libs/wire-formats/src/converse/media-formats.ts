/** The format's short names of media types, the first of each type being the one that is written. */
const images = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
} as const;

const documents = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
} as const;

const sounds = {
  mp3: 'audio/mp3',
  opus: 'audio/opus',
  wav: 'audio/wav',
  aac: 'audio/aac',
  flac: 'audio/flac',
  mp4: 'audio/mp4',
  ogg: 'audio/ogg',
  mkv: 'audio/x-matroska',
} as const;

export type MediaKind = 'image' | 'document' | 'audio';

const formats: Readonly<Record<MediaKind, Readonly<Record<string, string>>>> = {
  image: images,
  document: documents,
  audio: sounds,
};

/** Other names that clients use for the same. */
const aliases: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg', 'audio/mpeg': 'audio/mp3' };

/** How base64 of each type begins: the same bytes begin every file of it. */
const beginnings = [
  ['iVBORw0KGgo', 'png'],
  ['/9j/', 'jpeg'],
  ['R0lGOD', 'gif'],
  ['UklGR', 'webp'],
  ['JVBERi', 'pdf'],
] as const;

/** Undefined for a name that we do not know. */
export function mapToMediaType(kind: MediaKind, format: string): string | undefined {
  return Object.hasOwn(formats[kind], format) ? formats[kind][format] : undefined;
}

/** By the type, or, where the client left it out, by how the bytes begin. Undefined: the format has no name for it. */
export function mapToFormat(
  kind: MediaKind,
  mediaType: string | undefined,
  base64: string,
): string | undefined {
  const names = formats[kind];
  if (mediaType === undefined || mediaType === '') {
    const found = beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1];
    return found !== undefined && Object.hasOwn(names, found) ? found : undefined;
  }
  const bare = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const type = aliases[bare] ?? bare;
  return Object.keys(names).find((name) => names[name] === type);
}
