import type { TextStep } from '../text-step.ts';

/** ECMA-48: control sequences, operating system commands (ended by BEL or ST), and two-character escapes. */
const escapeSequence =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[@-Z\\-_])/g;

/** Takes away colours and cursor moves, and of a line that was drawn over and over leaves what a terminal shows in the end. */
export const terminal: TextStep = {
  name: 'terminal',
  apply(text) {
    const plain = text.includes('\x1b') ? text.replace(escapeSequence, '') : text;
    return plain.includes('\r') ? plain.split('\n').map(showLine).join('\n') : plain;
  },
};

/** A carriage return at the end of a line is half of a line break and stays; the others go back to the first column. */
function showLine(line: string): string {
  let end = line.length;
  while (end > 0 && line.charCodeAt(end - 1) === 0x0d) end -= 1;
  if (!line.slice(0, end).includes('\r')) return line;
  const drawings = line.slice(0, end).split('\r');
  const shown: string[] = [];
  let covered = 0;
  for (const drawing of drawings.reverse()) {
    if (drawing.length <= covered) continue;
    shown.push(drawing.slice(covered));
    covered = drawing.length;
  }
  return shown.join('') + line.slice(end);
}
