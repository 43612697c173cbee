const termsMax = 256;
const charactersMax = 40_000;
const termLengthMax = 200;

/**
 * Matches paths, addresses, identifiers and numbers as runs of letters, digits and joining characters.
 */
const word = /[\p{L}\p{N}_][\p{L}\p{N}_./:@\\#-]*/gu;
const quoted = /"([^"\n]{2,120})"|'([^'\n]{2,120})'|`([^`\n]{2,120})`/g;
const joined = /[._/:@\\#\d-]|[a-z][A-Z]/;

/**
 * Finds the specific names in a text, such as identifiers, paths, addresses, numbers, ids, quoted strings, and
 * upper-case words. Returns the specific names in lower case. Reads only the first 40,000 characters, and
 * returns at most 256 names.
 */
export function criticalTerms(text: string): Set<string> {
  const terms = new Set<string>();
  const head = text.length > charactersMax ? text.slice(0, charactersMax) : text;
  for (const match of head.matchAll(quoted)) add(terms, match[1] ?? match[2] ?? match[3] ?? '');
  for (const [found] of head.matchAll(word)) {
    const term = withoutEnd(found);
    const isShout = term.length > 2 && /^\p{Lu}+$/u.test(term);
    if (joined.test(term) || isShout) add(terms, term);
    if (term.includes('/')) add(terms, lastPartOf(term));
    if (terms.size >= termsMax) break;
  }
  return terms;
}

/** The file name in a path. People often refer to a file by its name without a path. */
function lastPartOf(term: string): string {
  return term.slice(term.lastIndexOf('/') + 1);
}

/**
 * Removes punctuation from the end of a word. Uses a loop, because a regular expression would start again
 * at each character of a long run.
 */
function withoutEnd(found: string): string {
  let end = found.length;
  while (end > 0 && '.:/#-'.includes(found.charAt(end - 1))) end -= 1;
  return found.slice(0, end);
}

function add(terms: Set<string>, found: string): void {
  const term = found.trim().toLowerCase();
  if (term.length >= 2 && term.length <= termLengthMax && terms.size < termsMax) terms.add(term);
}

const trouble =
  /\b(?:error|errors|exception|traceback|fail(?:ed|ure|s)?|fatal|panic|critical|denied|refused|timeout|timed out|warn(?:ing)?|undefined|not found|no such|cannot|unable|segfault|assert(?:ion)?)\b|[A-Za-z]Error\b/i;

/** Whether a line reports an error or contains a critical term. */
export function isCriticalLine(line: string, terms: ReadonlySet<string>): boolean {
  const head = line.length > 2_000 ? line.slice(0, 2_000) : line;
  if (trouble.test(head)) return true;
  if (terms.size === 0) return false;
  const lower = head.toLowerCase();
  if (terms.has(lower.trim())) return true;
  for (const [found] of lower.matchAll(word)) {
    const term = withoutEnd(found);
    if (terms.has(found) || terms.has(term) || (term.includes('/') && terms.has(lastPartOf(term))))
      return true;
  }
  return false;
}
