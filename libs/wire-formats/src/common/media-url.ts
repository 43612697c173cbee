import type { MediaSource } from '@gateway/interchange';

const base64DataUrl = /^data:([^;,]*);base64,/;

/** Parses the URL of a media file. A base64 data URL becomes base64 data. A URL without base64 data stays a URL. */
export function parseMediaUrl(url: string): MediaSource {
  const match = base64DataUrl.exec(url);
  if (match === null) return { kind: 'url', url };
  return { kind: 'base64', mediaType: match[1] || undefined, data: url.slice(match[0].length) };
}

/** Returns the URL of a media file. Returns undefined for a file that the provider stores. */
export function renderMediaUrl(source: MediaSource): string | undefined {
  switch (source.kind) {
    case 'url':
      return source.url;
    case 'base64':
      return `data:${source.mediaType ?? ''};base64,${source.data}`;
    case 'file':
      return undefined;
  }
}
