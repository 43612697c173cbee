/**
 * Returns a part of a text, and does not split surrogate pairs. If a boundary lies inside a surrogate pair,
 * the pair is left out.
 */
export function cutText(text: string, from: number, to: number): string {
  const start = isLow(text.charCodeAt(from)) && isHigh(text.charCodeAt(from - 1)) ? from + 1 : from;
  const end = isLow(text.charCodeAt(to)) && isHigh(text.charCodeAt(to - 1)) ? to - 1 : to;
  return text.slice(start, Math.max(start, end));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Maximum distance to a suitable cut position, in multiples of the requested length. If there is no suitable
 * position within the maximum distance, the text is cut at any position.
 */
const stretchMax = 8;
/**
 * Matches the characters before and after a suitable cut. The o200k tokenizer first splits the text with a pattern. The
 * tokenizer's pattern always splits text between a line break and a letter, and before a blank that precedes a letter.
 * The tokenizer's pattern also splits text before a letter that follows two JSON punctuation characters.
 */
const place = /\n(?=[A-Za-z])|\S(?= [A-Za-z])|[",:{}[\]]{2}(?=[A-Za-z])/;

/**
 * Cuts text into pieces of about `units` UTF-16 units. The sum of the token counts of the pieces equals the
 * token count of the whole text. For encoded data that cannot be cut at a suitable position, the sum is
 * only approximate.
 */
export function* cutExactly(text: string, units: number): Generator<string> {
  let start = 0;
  while (text.length - start > units) {
    const from = start + units;
    const found = place.exec(text.slice(from, from + units * stretchMax));
    const end = found === null ? from + units * stretchMax : from + found.index + found[0].length;
    // A character that consists of two UTF-16 units must not be split.
    const isInside = (text.charCodeAt(end) & 0xfc00) === 0xdc00;
    yield text.slice(start, isInside ? end + 1 : end);
    start = isInside ? end + 1 : end;
  }
  if (start < text.length) yield text.slice(start);
}
