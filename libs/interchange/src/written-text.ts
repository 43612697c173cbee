/** A user turn in two parts. The lines of each part keep their order. */
export interface SplitTurn {
  /** The lines that the person wrote. */
  readonly written: string;
  /** The lines that the person pasted: logs, code, tables, quotes. */
  readonly pasted: string;
}

/** Longer blocks count as pasted: people break their text into paragraphs. */
const [blockLinesMax, blockCharactersMax] = [20, 2_000];
/**
 * Maximum share of symbols among the characters of a written line, without spaces. Letters, digits and the
 * punctuation of prose are no symbols.
 */
const symbolShareMax = 0.15;
/** A single line needs this many characters to be judged by its symbols. Shorter ones may name a path or an id. */
const singleLineMin = 120;
/** Shorter lines do not count when a block is judged. */
const judgedLineMin = 12;

const fencePattern = /^ {0,3}(?:```[^`]*$|~~~)/;
/**
 * Starts of lines that programs print: quotes, braces and tags, numbered lines, shell commands, diffs,
 * timestamps, log levels, stack frames.
 */
const machinePattern =
  /^(?:>|[{}]|\[[[{"\d]|<[/!\w]|\d{1,9}[:|](?!\d)|\$ |@@ |\+\+\+ |--- |\[?\d{4}-\d\d-\d\d[ T]|\[?\d{1,2}:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\s:\]]|at \S{1,256} ?\(|File "|Traceback \()/;
/** `user@host:~$ ` at the start of a line. */
const promptPattern = /^[\w.-]{1,64}@\S{1,128}[#$] /;
/** By character code: 1 if a match of `machinePattern` can start with the character. */
const machineStarts = Uint8Array.from({ length: 128 }, (_, code) =>
  '>{}[<$@+-0123456789TDINWEFCa'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * Separates what a person wrote in a user turn from what the person pasted. A line counts as pasted if
 * - it is between code fences, an open fence ends with the text;
 * - it starts as programs start lines (`machinePattern`), or is enclosed in brackets;
 * - its block is longer than people write without a break, or consists mostly of lines with many symbols, as code,
 *   tables and JSON do. A block ends at a blank or pasted line.
 *
 * The rule uses no language and no names. Time is linear in the length of the text. On recorded sessions it keeps
 * every identifier that people wrote. It removes more than 99% of those in JSON results, and more than 80% of those
 * in the output of shell commands (`apps/tool-router/src/plan-tools/turn-signals.spec.ts`).
 */
export function splitTurn(text: string): SplitTurn {
  const parts = { written: new Array<string>(), pasted: new Array<string>() };
  let block: string[] = [];
  let isFenced = false;
  const closeBlock = (): void => {
    const part = isMachineMade(block) ? parts.pasted : parts.written;
    for (const line of block) part.push(line);
    block = [];
  };
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    const isFence = (trimmed.startsWith('```') || trimmed.startsWith('~~~')) && fencePattern.test(line);
    const isPasted = !isFence && (isFenced || (trimmed !== '' && isMachineLine(trimmed)));
    if (isFence) isFenced = !isFenced;
    if (isPasted || isFence || trimmed === '') closeBlock();
    else block.push(line);
    if (isPasted) parts.pasted.push(line);
  }
  closeBlock();
  return { written: parts.written.join('\n'), pasted: parts.pasted.join('\n') };
}

function isMachineMade(lines: readonly string[]): boolean {
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  if (lines.length > blockLinesMax || characters > blockCharactersMax) return true;
  if (lines.length === 1 && characters < singleLineMin) return false;
  const judged = lines.filter((line) => line.length >= judgedLineMin);
  return judged.filter((line) => symbolShareOf(line) > symbolShareMax).length * 2 > judged.length;
}

/** @param text a line without surrounding white space, not empty */
function isMachineLine(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first < 128 && machineStarts[first] === 1 && machinePattern.test(text)) return true;
  if (text.includes('@') && promptPattern.test(text)) return true;
  return (first === 91 && text.endsWith(']')) || (first === 40 && text.endsWith(')'));
}

/** By character code: 1 for ASCII symbols that prose does not use. */
const symbols = Uint8Array.from({ length: 128 }, (_, code) =>
  (code > 32 && !/[\w!'(),\-.:;?`]/.test(String.fromCharCode(code))) || code === 95 ? 1 : 0,
);

function symbolShareOf(line: string): number {
  let seen = 0;
  let found = 0;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code <= 32) continue;
    seen += 1;
    if (code < 128) found += symbols[code] ?? 0;
  }
  return found / Math.max(1, seen);
}
