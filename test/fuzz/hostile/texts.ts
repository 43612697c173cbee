/**
 * Pieces of text that have slowed down similar code, each with a description. The hostile texts repeat these
 * pieces.
 */
const repeated: Readonly<Record<string, string>> = {
  'one letter': 'a',
  'capital letters': 'A',
  digits: '7',
  spaces: ' ',
  'empty lines': '\n',
  'carriage returns': '\r',
  'backslashes and quotes': '\\"',
  'starts of web tokens': 'eyJaaaaaaaa-',
  'starts of keys': 'sk-aaaaaa ',
  'starts of private keys': '-----BEGIN PRIVATE KEY-----\n',
  'user names in addresses': '://a:',
  'opening brackets': '[',
  'opening objects': '{"a":',
  'colour codes': '\u001b[31m',
  'unfinished terminal commands': '\u001b]',
  'redrawn lines': '99%\r',
  references: '[0 lines as above, from "a" to "',
  'numbered lines': '1|\n',
  'log lines': '2026-01-01 12:00:00 INFO request 1 took 5 ms\n',
  'error lines': 'error: it failed\n',
  sentences: 'Do it. Then do that, and also this. ',
  identifiers: 'get_user_id/',
  'alternating case': 'aB',
  emoji: '\u{1f600}',
  'combining marks': 'e\u0301',
  Chinese: '\u5929\u6c17',
  'event fields': 'data: x\n',
};

/**
 * Returns a string without repeated words, so that no result is cached and no compression rule applies. Every
 * run gets the same string.
 */
function writeVaried(chars: number, alphabet: string, wordChars: number): string {
  let state = 1;
  const next = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) >>> 8;
  const words: string[] = [];
  for (let length = 0; length < chars; length += wordChars + 1)
    words.push(Array.from({ length: wordChars }, () => alphabet[next() % alphabet.length]).join(''));
  return words.join(' ').slice(0, chars);
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const encoded = `${letters}${letters.toUpperCase()}0123456789+/`;

/**
 * Returns nested objects and lists with two members each. Nesting is as deep as a request body
 * allows.
 */
function writeNested(chars: number): string {
  const levels = 50;
  const filling = 'x'.repeat(Math.floor(chars / 2));
  const tail = `{"a":{"v":"${filling}"},"b":{"v":"${filling.slice(0, -40 * levels)}"}}`;
  return `${'{"a":{"v":1},"b":{"v":'.repeat(levels)}${tail}${'}}'.repeat(levels)}`;
}

/** Returns a list of small objects that have the same keys. */
function writeTable(chars: number): string {
  const rows = Array.from(
    { length: Math.floor(chars / 40) },
    (_, at) => `{"id":${at},"name":"row ${at}","on":true}`,
  );
  return `[${rows.join(',')}]`;
}

/** Returns lines of numbers that collide in a hash table in which each number is its own hash. */
function writeNumbers(chars: number): string {
  return Array.from({ length: Math.floor(chars / 9) }, (_, at) => String((at * 65_536) % 100_000_000)).join(
    '\n',
  );
}

/**
 * Functions that each write a hostile text of about the given number of UTF-16 code units. One function
 * writes a harmless text for comparison.
 */
export const hostileTexts: Readonly<Record<string, (chars: number) => string>> = {
  'harmless text': (chars) => 'The weather in Paris is fine today.\n'.repeat(chars / 36),
  ...Object.fromEntries(
    Object.entries(repeated).map(([name, piece]) => [
      name,
      (chars: number): string => piece.repeat(Math.floor(chars / piece.length)),
    ]),
  ),
  'words that never repeat': (chars) => writeVaried(chars, letters, 7),
  'one long word': (chars) => writeVaried(chars, letters, chars),
  'encoded data': (chars) => writeVaried(chars, encoded, 400),
  'nested objects': writeNested,
  'a table': writeTable,
  'numbers with equal hash values': writeNumbers,
};
