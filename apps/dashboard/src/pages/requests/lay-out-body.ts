import type { RequestDetail } from '../../api/requests.ts';

/** A request or response body as the gateway stores it. */
export type KeptBody = NonNullable<RequestDetail['content']>['request'];
export type BodyKind = 'json' | 'text' | 'binary';

/**
 * Determines the kind of a body. The content type does not determine the kind, because JSON may be truncated,
 * and text may only look like JSON.
 */
export function parseBodyKind({ encoding, text, is_cut }: KeptBody): BodyKind {
  if (encoding === 'base64') return 'binary';
  if (!/^\s*[[{]/.test(text)) return 'text';
  // Truncated JSON cannot be parsed.
  return is_cut || isJson(text) ? 'json' : 'text';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The first `charsMax` characters of a body. A JSON body is formatted with one field per line, and any other
 * text is unchanged.
 */
export function layOutBody(text: string, kind: BodyKind, charsMax: number): LaidOut {
  const { text: all, isWhole } =
    kind === 'json' ? layOutJson(text, charsMax) : { text, isWhole: text.length <= charsMax };
  if (all.length <= charsMax) return { text: all, isWhole };
  return { text: all.slice(0, endWithin(all, 0, charsMax)), isWhole: false };
}

const pieceChars = 8_192;

/**
 * Splits text into pieces of about 8,192 characters, at line ends if possible. The browser only has to lay out
 * the visible pieces.
 */
export function splitPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = endOfPiece(text, from);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

function endOfPiece(text: string, from: number): number {
  if (text.length - from <= pieceChars) return text.length;
  const line = text.lastIndexOf('\n', from + pieceChars - 1);
  return line >= from ? line + 1 : endWithin(text, from, pieceChars);
}

/** The end of a piece of text, chosen so that no surrogate pair is split. */
function endWithin(text: string, from: number, charsMax: number): number {
  const end = from + charsMax;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

/**
 * Maximum number of indentation levels. Deeper levels are not indented further, to limit the length of the formatted
 * text.
 */
const levelsMax = 24;
const indents = Array.from({ length: levelsMax + 1 }, (_, level) => `\n${'  '.repeat(level)}`);
const indentAt = (level: number): string => indents[Math.max(0, Math.min(level, levelsMax))] ?? '';

interface LaidOut {
  readonly text: string;
  /** Whether `text` is complete. */
  readonly isWhole: boolean;
}

/**
 * Formats JSON with one field per line, up to `charsMax` characters. Formatting changes only the whitespace
 * between JSON tokens, so digits, escapes and duplicate keys are kept. The JSON input may be incomplete.
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

/** The end of the JSON token that starts at `from`. If a JSON string is incomplete, it ends at the end of the text. */
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
