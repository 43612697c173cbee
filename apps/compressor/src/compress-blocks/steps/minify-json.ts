const quote = 0x22;
const backslash = 0x5c;

/** Whether the text may be a JSON object or array. A cheap check that runs before the text is parsed. */
export function looksLikeJson(text: string): boolean {
  const first = text.charCodeAt(firstUnit(text));
  return first === 0x7b || first === 0x5b;
}

function firstUnit(text: string): number {
  let at = 0;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * Removes the whitespace between the tokens of a valid JSON document. Preserves numbers, escapes, key order
 * and repeated keys.
 */
export function minifyJson(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      at = endOfString(text, at);
    } else if (isSpace(unit)) {
      if (at > kept) pieces.push(text.slice(kept, at));
      at += 1;
      while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
      kept = at;
    } else {
      at += 1;
    }
  }
  if (kept === 0) return text;
  pieces.push(text.slice(kept));
  return pieces.join('');
}

/** The position after the closing quote of a JSON string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1;
  return slashes % 2 === 1;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
