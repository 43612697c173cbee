/** Lines looked at: enough to tell, however long the text. */
const linesMax = 400;
const charactersMax = 100;
const codeShareMin = 0.3;

const keyword =
  /^(?:import |from \S+ import|export |const |let |var |function[ *(]|def |class |return\b|if ?\(|if .*:$|for ?\(|for .*:$|while |else\b|elif |try\b|except\b|catch\b|switch ?\(|case .*:$|public |private |protected |static |void |int |#include|#define|package |use |fn |impl |func |type |interface |struct |enum |namespace |@\w+)/;
const ending = /(?:[{};]|\(\)|\):|=>|,|\(|\[|\])$/;
/** A number before a line, and no time of day. */
const numbered = /^ *\d{1,7}(?:[|\t]|:(?!\d\d)) ?/;
const diffMark = /^(?:@@ |diff --git |--- |\+\+\+ |index [0-9a-f]{7})/;

/**
 * Whether a text is mostly source code, a numbered view of a file, or a patch. Such a text is only ever shortened by
 * references to where it stands already: white space and every line in it can matter to an edit.
 */
export function looksLikeCode(text: string): boolean {
  let lines = 0;
  let code = 0;
  let start = 0;
  while (start < text.length && lines < linesMax) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + charactersMax)).trimEnd();
    start = end + 1;
    if (diffMark.test(line)) return true;
    const body = line.replace(numbered, '').trimStart();
    if (body === '') continue;
    lines += 1;
    if (numbered.test(line) || keyword.test(body) || ending.test(body)) code += 1;
  }
  return lines > 0 && code >= codeShareMin * lines;
}
