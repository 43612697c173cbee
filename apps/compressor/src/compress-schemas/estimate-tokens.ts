const space = 0;
const letter = 1;
const digit = 2;
const punctuation = 3;
const multibyte = 4;

/** By class: bytes of a run that make a token, about. A run of white space is one, however long. */
const bytesPerToken = Float64Array.of(Infinity, 10, 3, 4, 2.5);

const classByByte = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return space;
  if (byte >= 0x80) return multibyte;
  const character = String.fromCharCode(byte);
  if (/[a-zA-Z]/.test(character)) return letter;
  return /\d/.test(character) ? digit : punctuation;
});

/**
 * About how many tokens a text is, from one look at each byte: runs of letters, digits, punctuation and bytes beyond
 * ASCII cost by their length, a run of white space one, a single space nothing (it goes with its word). Against o200k on
 * the tool definitions of six public sets, compact and indented, it is between 0% and 5% high. Never exact: what is
 * billed is counted elsewhere.
 */
export function estimateTokens(utf8: Uint8Array): number {
  const { length } = utf8;
  let tokens = 0;
  let start = 0;
  while (start < length) {
    const kind = classByByte[utf8[start] as number] as number;
    let end = start + 1;
    while (end < length && classByByte[utf8[end] as number] === kind) end += 1;
    const bytes = end - start;
    if (kind === space) tokens += bytes === 1 && utf8[start] === 0x20 ? 0 : 1;
    else tokens += Math.ceil(bytes / (bytesPerToken[kind] as number));
    start = end;
  }
  return tokens;
}
