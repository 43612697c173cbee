import { splitWords, type AssessedTool } from './assessed-tool.ts';

/**
 * A suggested wording that distinguishes a tool from another tool. The wording contains only names of tools
 * and parameters, so the worker may store it.
 */
export interface SuggestedWording {
  readonly collidesWith: string;
  readonly description: string;
  readonly examples: readonly string[];
}

const namedMax = 3;

/**
 * Suggests a description and examples that distinguish a tool from a similar tool. The suggestion combines
 * the tool's action and object with the parameters and name words that the similar tool lacks. The suggestion
 * does not describe the similar tool, because such a description would attract the wrong requests. Returns
 * null if the tool has no parameter and no word in its name that the similar tool lacks.
 */
export function suggestWording(tool: AssessedTool, neighbour: AssessedTool): SuggestedWording | null {
  const own = listOwnKeys(tool, neighbour);
  if (own.length === 0) return null;
  const [what, asNeighbour] = [phraseOf(tool.name), phraseOf(neighbour.name)];
  return {
    collidesWith: neighbour.name,
    description: `${capitalize(what)} by ${joinWords(own)}.`,
    // Users may describe the tool with words from the similar tool's name.
    // The examples therefore include words from both tool names.
    examples: own.flatMap((key) => [`${what} by ${key}`, `${asNeighbour} by ${key}`]),
  };
}

/**
 * Lists the properties that only this tool has. Required parameters come first, followed by optional parameters
 * and words in the tool's name.
 */
function listOwnKeys(tool: AssessedTool, neighbour: AssessedTool): string[] {
  const theirs = new Set(neighbour.parameterList.map(({ name }) => phraseOf(name)));
  const theirWords = new Set(splitWords(neighbour.name));
  const sorted = [...tool.parameterList].sort(
    (one, other) => Number(other.isRequired) - Number(one.isRequired),
  );
  const parameters = sorted.map(({ name }) => phraseOf(name)).filter((name) => !theirs.has(name));
  if (parameters.length > 0) return parameters.slice(0, namedMax);
  const words = splitWords(tool.name).filter((word) => !theirWords.has(word));
  // A different verb does not distinguish the two tools, because both verbs have the same meaning.
  return tool.objects.size === neighbour.objects.size ? [] : words.slice(0, namedMax);
}

function phraseOf(identifier: string): string {
  return splitWords(identifier).join(' ');
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
