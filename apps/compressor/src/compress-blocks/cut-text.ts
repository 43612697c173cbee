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
