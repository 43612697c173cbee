/** A part of a text, never half of a surrogate pair: a cut in the middle of one leaves it out. */
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

/** Without a place to cut for so many times the length asked for, a piece ends anyway. */
const stretchMax = 8;
/**
 * What stands before a cut, and after it. o200k splits a text by a pattern before it looks for tokens, and no part of that split
 * goes on from a line's end to a letter, from another character than a blank to a blank before a letter, or from two signs
 * of JSON to a letter.
 */
const place = /\n(?=[A-Za-z])|\S(?= [A-Za-z])|[",:{}[\]]{2}(?=[A-Za-z])/;

/**
 * A text in pieces of about so many UTF-16 units whose tokens add up to those of the whole; to about those, where it is encoded
 * data or the like, which has no place to be cut.
 */
export function* cutExactly(text: string, units: number): Generator<string> {
  let start = 0;
  while (text.length - start > units) {
    const from = start + units;
    const found = place.exec(text.slice(from, from + units * stretchMax));
    const end = found === null ? from + units * stretchMax : from + found.index + found[0].length;
    // A character of two units is not cut apart.
    const isInside = (text.charCodeAt(end) & 0xfc00) === 0xdc00;
    yield text.slice(start, isInside ? end + 1 : end);
    start = isInside ? end + 1 : end;
  }
  if (start < text.length) yield text.slice(start);
}
