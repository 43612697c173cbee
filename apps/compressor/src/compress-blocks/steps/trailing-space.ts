import type { TextStep } from '../text-step.ts';

/** Takes away white space at the ends of lines (the carriage return of a line break included) and of the text. */
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

/** By hand: a pattern that looks for blanks before an end takes quadratic time on a long run of blanks before a word. */
function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d;
}
