const { ceil } = Math;
const space = 0;
const letter = 1;
const digit = 2;
const punctuation = 3;
/** The class of non-ASCII characters. Runs are measured in UTF-16 units in a string, and in bytes in UTF-8. */
const wide = 4;
const newline = 5;

/** ASCII codes by character class. */
const classByCode = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x0a || code === 0x0d) return newline;
  if (code === 0x20 || (code >= 0x09 && code <= 0x0c)) return space;
  const character = String.fromCharCode(code);
  if (/[a-zA-Z]/.test(character)) return letter;
  return /\d/.test(character) ? digit : punctuation;
});

/**
 * Approximate number of UTF-16 units per token in a run, by character class. Each run of whitespace counts as
 * one token, regardless of its length.
 */
const unitsPerToken = Float64Array.of(Infinity, 7, 3, 3, 1.3, Infinity);

/**
 * Estimates the token count of a text in a single pass. For a run of letters, digits, punctuation or
 * non-ASCII characters, the number of tokens depends on the length of the run. A run of whitespace counts
 * as one token. A single space counts as zero tokens, because the tokenizer adds it to the next word. `npm
 * run eval:compression` prints the difference between the estimate and o200k.
 */
export function estimateTextTokens(text: string, from = 0, to = text.length): number {
  let tokens = 0;
  let start = from;
  while (start < to) {
    const kind = classOf(text.charCodeAt(start));
    let end = start + 1;
    while (end < to && classOf(text.charCodeAt(end)) === kind) end += 1;
    const units = end - start;
    if (kind === space) tokens += units === 1 ? 0 : 1;
    else if (kind === newline) tokens += 1;
    else tokens += ceil(units / (unitsPerToken[kind] as number));
    start = end;
  }
  return tokens;
}

function classOf(code: number): number {
  return code < 128 ? (classByCode[code] as number) : wide;
}

/**
 * Approximate number of bytes per token in a run, by character class. Line breaks count as whitespace in tool
 * definitions, but not in ordinary text.
 */
const bytesPerToken = Float64Array.of(Infinity, 10, 3, 4, 2.5);

const classByByte = Uint8Array.from({ length: 256 }, (_, byte) => {
  const kind = classOf(byte);
  return kind === newline ? space : kind;
});

/**
 * Estimates the token count of a tool definition in a single pass. Works like `estimateTextTokens`, but reads
 * UTF-8 bytes. For compact and indented tool definitions in six public data sets, the estimate is 0% to 5%
 * above the o200k count. Billing needs exact counts, and does not use this estimate.
 */
export function estimateDefinitionTokens(utf8: Uint8Array): number {
  const { length } = utf8;
  let tokens = 0;
  let start = 0;
  while (start < length) {
    const kind = classByByte[utf8[start] as number] as number;
    let end = start + 1;
    while (end < length && classByByte[utf8[end] as number] === kind) end += 1;
    const bytes = end - start;
    if (kind === space) tokens += bytes === 1 && utf8[start] === 0x20 ? 0 : 1;
    else tokens += ceil(bytes / (bytesPerToken[kind] as number));
    start = end;
  }
  return tokens;
}
