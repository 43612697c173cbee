import type { TextStep } from './text-step.ts';

/**
 * Matches ECMA-48 sequences, which are control sequences, operating system commands (ended by BEL or ST), and
 * two-character escapes.
 */
const escapeSequence =
  // eslint-disable-next-line no-control-regex -- terminal sequences start with the control character ESC
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[@-Z\\-_])/g;

/** Matches the terminal sequences that erase the rest of the line or the whole line. */
// eslint-disable-next-line no-control-regex -- terminal sequences start with the control character ESC
const erasure = /\x1b\[(?:0?[JK]|2K)/g;

/**
 * Removes color codes and cursor movements. If the terminal drew a line several times, only the text that is
 * finally visible is kept.
 */
export const terminal: TextStep = {
  name: 'terminal',
  apply(text) {
    const isRedrawn = text.includes('\r');
    const keep = isRedrawn ? keepErasure : () => '';
    const plain = text.includes('\x1b') ? text.replace(escapeSequence, keep) : text;
    return isRedrawn ? plain.split('\n').map(showLine).join('\n') : plain;
  },
};

function keepErasure(sequence: string): string {
  return sequence.replace(erasure, '') === '' ? sequence : '';
}

/**
 * A carriage return at the end of a line belongs to the line break and is kept. A carriage return inside a
 * line moves the cursor back to the first column.
 */
function showLine(line: string): string {
  let end = line.length;
  while (end > 0 && line.charCodeAt(end - 1) === 0x0d) end -= 1;
  if (!line.slice(0, end).includes('\r')) return line.replace(erasure, '');
  const drawings = line.slice(0, end).split('\r').map(readDrawing);
  const shown: string[] = [];
  let covered = 0;
  let erasedFrom = Infinity;
  for (const drawing of drawings.reverse()) {
    const shownEnd = Math.min(drawing.text.length, erasedFrom);
    if (shownEnd > covered) {
      shown.push(drawing.text.slice(covered, shownEnd));
      covered = shownEnd;
    }
    erasedFrom = Math.min(erasedFrom, drawing.erasedFrom);
  }
  return shown.join('') + line.slice(end);
}

interface Drawing {
  readonly text: string;
  /** The first column in which an erase sequence hides earlier characters. */
  readonly erasedFrom: number;
}

function readDrawing(drawn: string): Drawing {
  let erasedFrom = Infinity;
  let text = '';
  let start = 0;
  for (const found of drawn.matchAll(erasure)) {
    const [sequence] = found;
    text += drawn.slice(start, found.index);
    start = found.index + sequence.length;
    const isWhole = sequence.endsWith('2K');
    erasedFrom = Math.min(erasedFrom, isWhole ? 0 : text.length);
    if (isWhole && start === drawn.length) text = '';
  }
  return { text: text + drawn.slice(start), erasedFrom };
}

/** Removes whitespace, including the carriage return of a line break, at the end of each line and of the text. */
export const trailingSpace: TextStep = {
  name: 'trailing_space',
  apply(text) {
    const pieces: string[] = [];
    let start = 0;
    let hasChanged = false;
    while (start <= text.length) {
      const found = text.indexOf('\n', start);
      const end = found < 0 ? text.length : found;
      const kept = trimmedEnd(text, start, end);
      hasChanged ||= kept < end;
      pieces.push(text.slice(start, kept));
      start = end + 1;
    }
    return hasChanged ? pieces.join('\n') : text;
  },
};

/**
 * The code uses a loop because a regular expression would take quadratic time on long whitespace before a
 * word.
 */
function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d;
}
