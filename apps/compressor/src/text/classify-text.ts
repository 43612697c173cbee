/** Maximum number of examined lines per text. This number of lines is enough to classify a text of any length. */
const codeLinesMax = 400;
/** Maximum number of lines that are read, including empty lines, which are not examined. */
const linesReadMax = 10 * codeLinesMax;
const codeLineCharactersMax = 100;
const codeShareMin = 0.3;

const keyword =
  /^(?:import |from \S+ import|export |const |let |var |function[ *(]|def |class |return\b|if ?\(|if .*:$|for ?\(|for .*:$|while |else\b|elif |try\b|except\b|catch\b|switch ?\(|case .*:$|public |private |protected |static |void |int |#include|#define|package |use |fn |impl |func |type |interface |struct |enum |namespace |@\w+)/;
const ending = /(?:[{};]|\(\)|\):|=>|,|\(|\[|\])$/;
/** Matches a line number at the start of a line. The pattern excludes times of day. */
const numbered = /^ *\d{1,7}(?:[|\t]|:(?!\d\d)) ?/;
const diffMark = /^(?:@@ |diff --git |--- |\+\+\+ |index [0-9a-f]{7})/;

/**
 * Whether text is mostly source code, a numbered view of a file, or a patch. Code is shortened only by
 * references to earlier lines, because every line and its whitespace can be important for an edit.
 */
export function looksLikeCode(text: string): boolean {
  let lines = 0;
  let code = 0;
  let linesRead = 0;
  let start = 0;
  while (start < text.length && lines < codeLinesMax && linesRead < linesReadMax) {
    linesRead += 1;
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + codeLineCharactersMax)).trimEnd();
    start = end + 1;
    if (diffMark.test(line)) return true;
    const body = line.replace(numbered, '').trimStart();
    if (body === '') continue;
    lines += 1;
    if (numbered.test(line) || keyword.test(body) || ending.test(body)) code += 1;
  }
  return lines > 0 && code >= codeShareMin * lines;
}

/** Number of characters that are examined at the end of an assistant turn. */
const tailLength = 2_000;

const fence = /```[^`]*```\s*$/;
const tagged = /<\/[A-Za-z_][\w-]*>\s*$/;

/**
 * Whether an assistant turn ends in a command, as a fenced block or as an element like `</command>`. Some
 * agents write commands as text instead of using tool calls. The user turn after a command contains the
 * output of the command.
 */
export function endsInCommand(assistantText: string): boolean {
  const tail = assistantText.slice(-tailLength).trimEnd();
  if (tail.endsWith('>')) return tagged.test(tail.slice(-80));
  return tail.endsWith('```') && (fence.test(tail) || tail.split('```').length > 2);
}
