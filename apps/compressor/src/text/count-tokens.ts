import { countTokens as countO200k, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';

// The tokenizer's cache of words contains slices of the texts, and a slice keeps its whole text in memory.
// Without the tokenizer's cache, counting takes up to 1.4 times as long.
setMergeCacheSize(0);

/**
 * Maximum length of a piece of text in characters. The tokenizer takes quadratic time on text that its pattern
 * does not split, such as letters, punctuation or white space without a break. Long parts of a text are cut
 * into pieces of the maximum length.
 */
const partMax = 128;
/**
 * Matches runs of more than `partMax` letters, punctuation characters or white space. A run may also consist
 * of line breaks and slashes, which the tokenizer adds to punctuation. Because of the lookbehinds, a match
 * starts only at the start of a run. Otherwise, the expression would scan a run again from each of its
 * characters.
 */
const longPart =
  /(?<![\p{L}\p{M}])[\p{L}\p{M}]{129,}|(?<![^\s\p{L}\p{N}])[^\s\p{L}\p{N}]{129,}|(?<!\s)\s{129,}|(?<![\r\n/])[\r\n/]{129,}/gu;
/** The counter treats special tokens in the text as ordinary text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/**
 * Counts o200k tokens in a text, in time linear in the text's length. The count is exact, except for words
 * and for runs of punctuation or white space longer than 128 characters. Longer words and runs are counted in
 * pieces of 128 characters, so a token at a cut may be counted twice. Counting takes about a millisecond per
 * thousand tokens, so it must not run while a request waits.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let start = 0;
  for (const part of text.matchAll(longPart)) {
    tokens += countO200k(text.slice(start, part.index), asText) + countPieces(part[0]);
    start = part.index + part[0].length;
  }
  return tokens + countO200k(start === 0 ? text : text.slice(start), asText);
}

function countPieces(part: string): number {
  let tokens = 0;
  let known = { piece: '', tokens: 0 };
  for (const piece of cutPieces(part)) {
    // If a run repeats a single character, all of its pieces are equal.
    if (piece !== known.piece) known = { piece, tokens: countO200k(piece, asText) };
    tokens += known.tokens;
  }
  return tokens;
}

/** Characters outside the basic multilingual plane have two UTF-16 units and must not be split. */
function* cutPieces(part: string): Generator<string> {
  const unitsMax = partMax * ((part.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  for (let start = 0; start < part.length;) {
    const isInside = (part.charCodeAt(start + unitsMax) & 0xfc00) === 0xdc00;
    const end = start + unitsMax + (isInside ? 1 : 0);
    yield part.slice(start, end);
    start = end;
  }
}
