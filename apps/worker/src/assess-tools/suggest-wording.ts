import type { AssessedTool } from './assessed-tool.ts';
import { splitWords } from './assessed-tool.ts';

/** Words that tell a tool from another one. Made of names alone, so that it may be kept. */
export interface SuggestedWording {
  readonly collidesWith: string;
  readonly description: string;
  readonly examples: readonly string[];
}

const namedMax = 3;

/**
 * A description and examples by which a tool can be told from its neighbour: what it does to what, by the parameters and
 * words of its name that the other has not. It does not say what the neighbour is for: words of the one in the other's
 * description would draw requests to the wrong one. Null where it has nothing of its own.
 */
export function suggestWording(tool: AssessedTool, neighbour: AssessedTool): SuggestedWording | null {
  const own = listOwnKeys(tool, neighbour);
  if (own.length === 0) return null;
  const [what, asNeighbour] = [phraseOf(tool.name), phraseOf(neighbour.name)];
  return {
    collidesWith: neighbour.name,
    description: `${capitalize(what)} by ${joinWords(own)}.`,
    // In the neighbour's words too: whoever says them may mean this one.
    examples: own.flatMap((key) => [`${what} by ${key}`, `${asNeighbour} by ${key}`]),
  };
}

/** What only the one has: required parameters first, then the others, then words of its name. */
function listOwnKeys(tool: AssessedTool, neighbour: AssessedTool): string[] {
  const theirs = new Set(neighbour.parameterList.map(({ name }) => phraseOf(name)));
  const theirWords = new Set(splitWords(neighbour.name));
  const sorted = [...tool.parameterList].sort(
    (one, other) => Number(other.isRequired) - Number(one.isRequired),
  );
  const parameters = sorted.map(({ name }) => phraseOf(name)).filter((name) => !theirs.has(name));
  if (parameters.length > 0) return parameters.slice(0, namedMax);
  const words = splitWords(tool.name).filter((word) => !theirWords.has(word));
  // The verb alone tells nothing: that is why they collide.
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
