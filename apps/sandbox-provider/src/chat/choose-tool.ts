import type { OfferedTool } from './chat-request.ts';

/** Words that do not help to choose a tool. */
const stopWords = new Set(
  'a an and are as at be by can could do for from give have how i in is it me my of on or our please that the this to us want what when where which with would you your all any new tell show'.split(
    ' ',
  ),
);
const nameWeight = 3;
const descriptionCharsMax = 2_000;
const messageCharsMax = 4_000;

/**
 * Splits text into lower-case words without plural and verb endings. `create_issue`, `createIssue` and
 * "creating issues" result in the same words.
 */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter((word) => !stopWords.has(word))
    .map((word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word.replace(/s$/, '')));
}

/**
 * Chooses the tool with the most words of the message in its name and description. A word that occurs in fewer tools
 * counts more. Returns undefined if no tool shares at least one word in its name or two words in its description.
 */
export function chooseTool(tools: readonly OfferedTool[], message: string): OfferedTool | undefined {
  const messageWords = new Set(wordsOf(message.slice(0, messageCharsMax)));
  if (messageWords.size === 0) return undefined;
  const entries = tools.map((tool) => ({
    tool,
    name: new Set(wordsOf(tool.name)),
    description: new Set(wordsOf(tool.description.slice(0, descriptionCharsMax))),
  }));
  const rarity = new Map(
    [...messageWords].map((word) => {
      const having = entries.filter(({ name, description }) => name.has(word) || description.has(word));
      return [word, Math.log(1 + tools.length / (1 + having.length)) + 0.1];
    }),
  );
  let best: { tool: OfferedTool; score: number } | undefined;
  for (const { tool, name, description } of entries) {
    const inName = [...messageWords].filter((word) => name.has(word));
    const inDescription = [...messageWords].filter((word) => description.has(word));
    if (inName.length === 0 && inDescription.length < 2) continue;
    const weigh = (words: string[]): number => words.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0);
    // A short name that the message covers completely is a better match than a longer name.
    // A longer name that contains the short name matches the same words of the message.
    const covered = name.size === 0 ? 0 : inName.length / name.size;
    const score = nameWeight * weigh(inName) * (0.5 + covered / 2) + weigh(inDescription);
    if (best === undefined || score > best.score) best = { tool, score };
  }
  return best?.tool;
}
