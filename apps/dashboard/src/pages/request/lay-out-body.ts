import type { RequestDetail } from '../../api/requests.ts';
import { layOutJson, type LaidOut } from './lay-out-json.ts';

/** A body as the gateway kept it. */
export type KeptBody = NonNullable<RequestDetail['content']>['request'];
export type BodyKind = 'json' | 'text' | 'binary';

/** What a body is, which its content type alone does not say: JSON may be cut, and text may only look like it. */
export function parseBodyKind({ encoding, text, is_cut }: KeptBody): BodyKind {
  if (encoding === 'base64') return 'binary';
  if (!/^\s*[[{]/.test(text)) return 'text';
  // What was cut cannot be read to its end.
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

/** As much of a body as is drawn: JSON with its members on lines of their own, and all else as it came. */
export function layOutBody(text: string, kind: BodyKind, charsMax: number): LaidOut {
  const { text: all, isWhole } =
    kind === 'json' ? layOutJson(text, charsMax) : { text, isWhole: text.length <= charsMax };
  if (all.length <= charsMax) return { text: all, isWhole };
  return { text: all.slice(0, endWithin(all, 0, charsMax)), isWhole: false };
}

const pieceChars = 8_192;

/** A text in pieces of about 8,192 characters, at ends of lines where there are some: a browser lays out those in sight alone. */
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

/** No character of two units is cut in halves. */
function endWithin(text: string, from: number, charsMax: number): number {
  const end = from + charsMax;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
