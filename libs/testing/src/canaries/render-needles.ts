/**
 * A search pattern, which is a window of a secret in one encoding. The search pattern has at
 * least `windowCharacters` bytes.
 */
export interface Needle {
  readonly secret: string;
  readonly encoding: 'raw' | 'hex' | 'base64' | 'base64url' | 'url' | 'json';
  readonly bytes: Buffer;
}

/** Number of consecutive characters of a secret that count as a leak. */
export const windowCharacters = 12;
/**
 * Minimum number of distinct characters in a window. Windows such as `000000000000` can occur in any text and
 * do not indicate a leak.
 */
const distinctCharactersMin = 5;
/**
 * Matches windows (substrings of a secret) that look like words, because words can occur in any text. At most
 * three out of 100,000 windows of random base-62 text look like words.
 */
const words = /^[a-z _.-]+$/;
const secretCharactersMax = 4096;

/**
 * Renders every window of the hidden part of a secret as plain text, hex, base64 (all alignments, both
 * alphabets), URL-escaped and JSON-escaped.
 */
export function renderNeedles(secret: string, value: string): Needle[] {
  return listWindows(secretPartOf(value)).flatMap((window) => {
    const bytes = Buffer.from(window);
    const forms: [Needle['encoding'], string][] = [
      ['raw', window],
      ['hex', bytes.toString('hex')],
      ['hex', bytes.toString('hex').toUpperCase()],
      ['url', encodeURIComponent(window)],
      ['json', JSON.stringify(window).slice(1, -1)],
      ...[0, 1, 2].flatMap((offset): [Needle['encoding'], string][] => {
        const text = renderBase64(bytes, offset);
        return [
          ['base64', text],
          ['base64url', text.replaceAll('+', '-').replaceAll('/', '_')],
        ];
      }),
    ];
    const seen = new Set<string>();
    return forms.flatMap(([encoding, text]) => {
      if (seen.has(text)) return [];
      seen.add(text);
      return [{ secret, encoding, bytes: Buffer.from(text) }];
    });
  });
}

/**
 * The part of a secret that must stay hidden. The visible prefix of an API key and the header and payload of
 * a JWT are not hidden.
 */
function secretPartOf(value: string): string {
  const bounded = value.slice(0, secretCharactersMax);
  if (/^eyJ[\w-]*\.[\w-]*\.[\w-]+$/.test(bounded)) return bounded.slice(bounded.lastIndexOf('.') + 1);
  return bounded.replace(/^sk-(svc-)?/, '');
}

function listWindows(text: string): string[] {
  const windows: string[] = [];
  for (let at = 0; at + windowCharacters <= text.length; at++) {
    const window = text.slice(at, at + windowCharacters);
    if (new Set(window).size >= distinctCharactersMin && !words.test(window)) windows.push(window);
  }
  return windows;
}

/**
 * The base64 characters that depend only on the given bytes. In a base64 group of three bytes, `offset`
 * unknown bytes (0–2) precede the given bytes.
 */
function renderBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
