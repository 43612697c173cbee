import type { ToolListIndex } from '../ranking/tool-list-index.ts';

const turnCharactersMax = 100_000;
const wordPattern = /[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*/gu;
const quotedPattern = /[`"'“‘]([\p{L}\p{N}_.:/-]{1,256})[`"'”’]/gu;
/** What tells an identifier from a word of prose: a joint inside, a change of case, or a digit beside a letter. */
const identifierPattern = /[\p{L}\p{N}][_.:/-]+[\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}\p{N}|_/u;

/**
 * Positions of the tools that a turn names verbatim: as an identifier (`create_issue`, `getUser`), or any name in
 * quotes or backticks. A tool called `search` is not meant by every sentence with that word.
 */
export function findMentions(index: ToolListIndex, turn: string): number[] {
  const text = turn.slice(0, turnCharactersMax);
  const named = new Set<number>();
  const add = (name: string): void => {
    for (const position of index.positionsByName.get(name) ?? []) named.add(position);
  };
  for (const [word] of text.matchAll(wordPattern)) {
    const name = withoutEnd(word);
    if (identifierPattern.test(name)) add(name);
  }
  for (const [, name] of text.matchAll(quotedPattern)) add(name ?? '');
  return [...named];
}

/** A word without the marks that end its sentence. By hand: a pattern would try each of a long run of them. */
function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && '.:/-'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}
