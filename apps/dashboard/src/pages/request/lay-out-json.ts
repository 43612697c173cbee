/** Levels that are set in: what is nested deeper stands at the last one, so that no text grows beyond measure. */
const levelsMax = 24;
const indents = Array.from({ length: levelsMax + 1 }, (_, level) => `\n${'  '.repeat(level)}`);
const indentAt = (level: number): string => indents[Math.max(0, Math.min(level, levelsMax))] ?? '';

export interface LaidOut {
  readonly text: string;
  /** Whether all of what was given is there. */
  readonly isWhole: boolean;
}

/**
 * JSON with each member on a line of its own, up to `charsMax` of it. White space between tokens alone is moved: numbers keep
 * their digits, strings their escapes, and a key that stands twice stands twice. It may end in the middle.
 */
export function layOutJson(json: string, charsMax: number): LaidOut {
  const pieces: string[] = [];
  let chars = 0;
  let level = 0;
  let at = skipBlanks(json, 0);
  while (at < json.length && chars < charsMax) {
    const token = json.slice(at, endOfToken(json, at));
    at = skipBlanks(json, at + token.length);
    let piece = token;
    if (isClosing(token)) piece = indentAt((level -= 1)) + token;
    else if (token === ',') piece = token + indentAt(level);
    else if (token === ':') piece = ': ';
    else if (isOpening(token)) {
      const next = json.charAt(at);
      if (isClosing(next)) at = skipBlanks(json, at + 1);
      piece = token + (isClosing(next) ? next : indentAt((level += 1)));
    }
    pieces.push(piece);
    chars += piece.length;
  }
  return { text: pieces.join(''), isWhole: at >= json.length };
}

const isOpening = (token: string): boolean => token === '{' || token === '[';
const isClosing = (token: string): boolean => token === '}' || token === ']';
const isBlank = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t';

function skipBlanks(json: string, from: number): number {
  let at = from;
  while (isBlank(json.charAt(at))) at += 1;
  return at;
}

/** Where the token that begins at `from` is over. A string that does not end is over with the text. */
function endOfToken(json: string, from: number): number {
  if (json.charAt(from) === '"') return endOfString(json, from);
  let at = from + 1;
  if ('{}[],:'.includes(json.charAt(from))) return at;
  while (at < json.length && !'{}[],:" \n\r\t'.includes(json.charAt(at))) at += 1;
  return at;
}

function endOfString(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at + 1, json.length);
}
