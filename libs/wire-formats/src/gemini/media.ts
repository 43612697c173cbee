import type { MediaSource } from '@gateway/interchange';

/** Types of media by the end of a file's name: those that Gemini reads. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['html', 'text/html'],
  ['csv', 'text/csv'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
]);

const usualTypes = { image: 'image/jpeg', document: 'application/pdf', audio: 'audio/wav' } as const;
export type MediaKind = keyof typeof usualTypes;

/** What part of the interchange holds media of that type. */
export function mapMediaKind(mediaType: string | undefined): MediaKind {
  if (mediaType?.startsWith('image/') === true) return 'image';
  return mediaType?.startsWith('audio/') === true ? 'audio' : 'document';
}

/** Gemini insists on a type. Where nobody says it, the name of the file does, or else what is usual. */
export function chooseMediaType(source: MediaSource, kind: MediaKind): string {
  if (source.kind === 'base64') return source.mediaType ?? usualTypes[kind];
  const path = (source.kind === 'url' ? source.url : source.id).replace(/[?#].*$/s, '');
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return mediaTypes.get(ending) ?? usualTypes[kind];
}

/** Google's own addresses of files: only its models can read them. */
export function isGoogleFile(uri: string): boolean {
  return uri.startsWith('gs://') || uri.startsWith('https://generativelanguage.googleapis.com/');
}
