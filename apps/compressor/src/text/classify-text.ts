/** Lines looked at: enough to tell, however long the text. */
const codeLinesMax = 400;
const codeLineCharactersMax = 100;
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
  while (start < text.length && lines < codeLinesMax) {
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

/** How far from its end an assistant's turn is looked at. */
const tailLength = 2_000;

const fence = /```[^`]*```\s*$/;
const tagged = /<\/[A-Za-z_][\w-]*>\s*$/;

/**
 * Whether an assistant's turn ends in a command: a fenced block, or an element like `</command>`. Agents that speak no tool
 * calls act that way, and the user's turn that follows is what the command printed: an observation. That is how
 * observations that come as user turns are told from people's words.
 */
export function endsInCommand(assistantText: string): boolean {
  const tail = assistantText.slice(-tailLength).trimEnd();
  if (tail.endsWith('>')) return tagged.test(tail.slice(-80));
  return tail.endsWith('```') && (fence.test(tail) || tail.split('```').length > 2);
}
