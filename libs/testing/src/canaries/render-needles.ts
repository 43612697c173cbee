/** Something to look for: a window of a secret, in one encoding. At least `windowCharacters` bytes. */
export interface Needle {
  readonly secret: string;
  readonly encoding: 'raw' | 'hex' | 'base64' | 'base64url' | 'url' | 'json';
  readonly bytes: Buffer;
}

/** Any so many neighbouring characters of a secret are as good as all of it. */
export const windowCharacters = 12;
/** A window like `000000000000` stands everywhere and tells nothing. */
const distinctCharactersMin = 5;
/** Words stand everywhere too. Of a random text in base 62, no more than three windows in 100,000 look like them. */
const words = /^[a-z _.-]+$/;
const secretCharactersMax = 4096;

/** Every window of a secret's secret part, as it is, in hex, base64 (all alignments, both alphabets), URL- and JSON-escaped. */
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

/** What of a secret nobody may see: not the prefix that keys are named by, nor a JWT's header. */
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

/** The characters that these bytes alone decide, when `offset` (0–2) others come before them in a group of three. */
function renderBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
