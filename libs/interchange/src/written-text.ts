/** A user turn, split into two parts. The order of the lines within each part is kept. */
export interface SplitTurn {
  /** The lines that the user wrote. */
  readonly written: string;
  /** The lines that the user pasted, such as logs, code, tables and quoted text. */
  readonly pasted: string;
}

/**
 * Maximum number of lines and of characters in a block that counts as written by the user. A larger block is
 * treated as pasted, because people break their text into paragraphs.
 */
const [blockLinesMax, blockCharactersMax] = [20, 2_000];
/**
 * Maximum share of symbols among the non-space characters of a line that a user wrote. Letters, digits and
 * the punctuation of prose are not symbols.
 */
const symbolShareMax = 0.15;
/**
 * In a block with a single line, symbols are counted only if the line has at least this number of characters.
 * In a shorter line, a path or an id would have too much weight.
 */
const singleLineMin = 120;
/** In a block with several lines, symbols are counted only in lines with at least this number of characters. */
const judgedLineMin = 12;

const fencePattern = /^ {0,3}(?:```[^`]*$|~~~)/;
/**
 * Matches the starts of lines that programs print, such as quotes, braces, tags, numbered lines, shell
 * commands, diffs, timestamps, log levels and stack frames.
 */
const machinePattern =
  /^(?:>|[{}]|\[[[{"\d]|<[/!\w]|\d{1,9}[:|](?!\d)|\$ |@@ |\+\+\+ |--- |\[?\d{4}-\d\d-\d\d[ T]|\[?\d{1,2}:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\s:\]]|at \S{1,256} ?\(|File "|Traceback \()/;
/** A shell prompt such as `user@host:~$ ` at the start of a line. */
const promptPattern = /^[\w.-]{1,64}@\S{1,128}[#$] /;
/** Properties of a character, as bit flags. */
const [isSeen, isSymbol, isInk, startsMachine] = [1, 2, 4, 8];
/** Characters that can start a fence, a line in brackets or a line that matches `machinePattern`. */
const machineStarts = '>{}[<$@+-0123456789TDINWEFCa`~(';
/**
 * The properties of each character, by UTF-16 code unit. Symbols are ASCII characters that prose does not
 * use. Every character except whitespace has the property `isInk`.
 */
const traits = Uint8Array.from({ length: 65_536 }, (_, code) => {
  const character = String.fromCharCode(code);
  let bits = code > 32 ? isSeen : 0;
  if (code > 32 && code < 128 && !/[a-zA-Z0-9!'(),\-.:;?`]/.test(character)) bits |= isSymbol;
  if (character.trim() !== '') bits |= isInk;
  if (machineStarts.includes(character)) bits |= startsMachine;
  return bits;
});

/**
 * Splits a user turn into text that the user wrote and text that the user pasted. A line is treated as pasted
 * if one of these conditions is met:
 * - The line is between code fences. A code fence without an end includes the rest of the text.
 * - The line starts like a line that a program prints (`machinePattern`), or is enclosed in brackets.
 * - The line's block is longer than `blockLinesMax` or `blockCharactersMax`.
 * - Most lines in the line's block contain many symbols, as in code, tables and JSON.
 *
 * A block ends at a blank or pasted line.
 *
 * The split does not depend on the language of the text. The running time is linear in the length of the
 * text. In recorded conversations, this function keeps every identifier that users wrote. Removing pasted
 * text removes more than 99% of the identifiers in JSON results and more than 80% of the identifiers in shell
 * command output (`apps/tool-router/src/plan-tools/turn-signals.spec.ts`).
 */
export function splitTurn(text: string): SplitTurn {
  const parts = { written: new Array<string>(), pasted: new Array<string>() };
  const codes = codesOf(text);
  const mayPrompt = text.includes('@');
  let isFenced = false;
  let block = emptyBlock(0);
  for (let start = 0; start <= text.length;) {
    const line = readLine(codes, start, text.length);
    const kind = kindOf(text, line, mayPrompt);
    const isPasted = kind !== 'fence' && (isFenced || kind === 'machine');
    if (kind === 'fence') isFenced = !isFenced;
    if (kind === 'prose' && !isPasted) {
      addLine(block, line);
    } else {
      closeBlock(text, block, parts);
      block = emptyBlock(line.end + 1);
      if (isPasted) parts.pasted.push(text.slice(start, line.end));
    }
    start = line.end + 1;
  }
  closeBlock(text, block, parts);
  return { written: parts.written.join('\n'), pasted: parts.pasted.join('\n') };
}

/** A buffer that is reused for short texts. */
const shortCodes = new Uint16Array(2_048);
const shortBytes = Buffer.from(shortCodes.buffer);

/**
 * Returns the UTF-16 code units of a text. The array may be longer than the text. Reading an array is faster
 * than reading a string.
 */
function codesOf(text: string): Uint16Array {
  const isShort = text.length <= shortCodes.length;
  const codes = isShort ? shortCodes : new Uint16Array(text.length);
  const bytes = isShort ? shortBytes : Buffer.from(codes.buffer);
  bytes.write(text, 'utf16le');
  return codes;
}

interface Line {
  readonly start: number;
  /** The position of the newline, or the length of the text. */
  readonly end: number;
  /**
   * The position of the first character that is not whitespace. For a blank line, the position equals `end`.
   */
  readonly first: number;
  /**
   * The number of characters that are not whitespace. `symbols` is the number of symbols among the visible
   * characters.
   */
  readonly seen: number;
  readonly symbols: number;
}

function readLine(codes: Uint16Array, start: number, length: number): Line {
  let [first, seen, symbols] = [-1, 0, 0];
  let at = start;
  for (; at < length && codes[at] !== 10; at += 1) {
    const bits = traits[codes[at] ?? 0] ?? 0;
    if (first < 0 && (bits & isInk) !== 0) first = at;
    seen += bits & isSeen;
    symbols += (bits & isSymbol) >> 1;
  }
  return { start, end: at, first: first < 0 ? at : first, seen, symbols };
}

/** @param mayPrompt whether the text contains `@`, which shell prompts contain */
function kindOf(
  text: string,
  { start, end, first }: Line,
  mayPrompt: boolean,
): 'blank' | 'fence' | 'machine' | 'prose' {
  if (first === end) return 'blank';
  const code = text.charCodeAt(first);
  // This check is enough for most lines, because they start with a letter that never starts program output.
  if (!mayPrompt && ((traits[code] ?? 0) & startsMachine) === 0) return 'prose';
  if (code === 96 || code === 126) return fencePattern.test(text.slice(start, end)) ? 'fence' : 'prose';
  return isMachineLine(text.slice(first, end).trimEnd()) ? 'machine' : 'prose';
}

/** @param text a non-empty line without surrounding whitespace */
function isMachineLine(text: string): boolean {
  if (machinePattern.test(text)) return true;
  if (text.includes('@') && promptPattern.test(text)) return true;
  return (text.startsWith('[') && text.endsWith(']')) || (text.startsWith('(') && text.endsWith(')'));
}

/** A block of consecutive lines without a blank or pasted line between them. */
interface Block {
  readonly start: number;
  end: number;
  lines: number;
  /** The number of characters in the block, without newlines. */
  characters: number;
  /**
   * The number of lines in which symbols were counted. `symbolic` is the number of these lines that have many
   * symbols.
   */
  judged: number;
  symbolic: number;
}

function emptyBlock(start: number): Block {
  return { start, end: start, lines: 0, characters: 0, judged: 0, symbolic: 0 };
}

function addLine(block: Block, { start, end, seen, symbols }: Line): void {
  block.end = end;
  block.lines += 1;
  block.characters += end - start;
  if (end - start < judgedLineMin) return;
  block.judged += 1;
  if (symbols > symbolShareMax * seen) block.symbolic += 1;
}

function closeBlock(text: string, block: Block, parts: Record<keyof SplitTurn, string[]>): void {
  if (block.lines === 0) return;
  const part = isMachineMade(block) ? parts.pasted : parts.written;
  part.push(text.slice(block.start, block.end));
}

function isMachineMade({ lines, characters, judged, symbolic }: Block): boolean {
  if (lines > blockLinesMax || characters > blockCharactersMax) return true;
  if (lines === 1 && characters < singleLineMin) return false;
  return symbolic * 2 > judged;
}

/** Matches the words of a text. A word may contain separators within a name, as in `github.create_issue`. */
export const wordPattern = /[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*/gu;
/**
 * Distinguishes identifiers from ordinary words. An identifier contains a separator between other characters,
 * a case change, or a digit next to a letter.
 */
export const identifierPattern = /[\p{L}\p{N}][_.:/-]+[\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}\p{N}|_/u;

/** Yields the identifiers in a text, without the punctuation that follows them. */
export function* listIdentifiers(text: string): Generator<string> {
  for (const [word] of text.matchAll(wordPattern)) {
    const name = withoutEnd(word);
    if (identifierPattern.test(name)) yield name;
  }
}

/**
 * Strips punctuation from the end of a word. The function uses a loop, because a regular expression would
 * backtrack on long runs of punctuation.
 */
function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && '.:/-'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}
