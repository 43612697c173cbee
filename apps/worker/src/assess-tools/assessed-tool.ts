import { stemmer } from 'stemmer';

/** A tool definition exactly as the request contained it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly examples: readonly string[];
}

export interface ToolParameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isDescribed: boolean;
  readonly isTyped: boolean;
}

/** A tool definition, split into the parts that determine its score and its near duplicates. */
export interface AssessedTool extends OfferedTool {
  /**
   * The tool's action, taken from the tool's name or else from the start of its description. All
   * synonyms of a verb denote the same action. For example, the action `get` includes "fetch".
   */
  readonly action: string | undefined;
  /** The stems of the words in the tool's name, except the verb. */
  readonly objects: ReadonlySet<string>;
  readonly descriptionStems: readonly string[];
  readonly parameterList: readonly ToolParameter[];
}

const parametersMax = 200;

export function analyzeTool(tool: OfferedTool): AssessedTool {
  const { verb, objects } = readName(tool.name);
  const opening = splitWords(tool.description)
    .slice(0, 4)
    .find((word) => findAction(word) !== undefined);
  const action = findAction(verb ?? opening ?? '');
  return {
    ...tool,
    action,
    objects,
    descriptionStems: listStems(tool.description),
    parameterList: listParameters(tool.parameters),
  };
}

/** Splits a tool's name into its verb and the stems of the other words. */
export function readName(name: string): {
  readonly verb: string | undefined;
  readonly objects: ReadonlySet<string>;
} {
  const words = splitWords(name);
  const verbAt = words.findIndex((word) => findAction(word) !== undefined);
  const objects = new Set(listStems(words.filter((_, at) => at !== verbAt).join(' ')));
  return { verb: words[verbAt], objects };
}

function listParameters(schema: unknown): ToolParameter[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return [];
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  return Object.entries(schema['properties'])
    .slice(0, parametersMax)
    .map(([name, property]) => ({
      name,
      isRequired: required.has(name),
      isDescribed:
        isRecord(property) &&
        typeof property['description'] === 'string' &&
        property['description'].trim() !== '',
      isTyped: isRecord(property) && typeWords.some((word) => word in property),
    }));
}

const typeWords = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Words without information about a tool. */
const emptyWords = new Set(
  (
    'a an the this that of for to from in on at by with as and or not is are be it its your their use used using ' +
    'tool tools new existing given specific optional when if you can will'
  ).split(' '),
);

/** Groups of synonymous verbs. Each group of synonyms is named after its first verb. */
const verbGroups = [
  'get fetch retrieve read load lookup obtain show view describe download',
  'list enumerate browse',
  'search query find filter discover',
  'create add new insert make open register',
  'update edit modify change patch set write put',
  'delete remove destroy drop erase clear dismiss',
  'send post publish notify email message reply submit push',
  'run execute invoke trigger start launch call',
  'stop cancel end close abort',
  'merge move copy fork assign request manage mark check compare calculate convert validate resolve unresolve star unstar reprioritize transfer play book buy order pay schedule analyze summarize generate translate upload connect disconnect enable disable subscribe login select compute replace append extract parse',
];
const verbGroup = new Map(
  verbGroups.flatMap((group, at) => {
    const verbs = group.split(' ');
    // The last group contains verbs that have no synonyms.
    const isOfOne = at === verbGroups.length - 1;
    return verbs.map((verb) => [stemmer(verb), isOfOne ? verb : (verbs[0] ?? verb)] as const);
  }),
);

/** Splits text or an identifier into lower-case words. `getUserByID2` becomes `get, user, by, id, 2`. */
export function splitWords(text: string): string[] {
  // eslint-disable-next-line regexp/no-super-linear-move -- two or more capitals always match, so no run is read twice
  const words = text.slice(0, 20_000).match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{N}+/gu) ?? [];
  return words.map((word) => word.toLowerCase());
}

/** Returns the stems of the informative words in a text. */
export function listStems(text: string): string[] {
  return splitWords(text)
    .filter((word) => !emptyWords.has(word))
    .map(stemmer);
}

/** Maps a verb to the first verb in its group. Returns undefined for a word that is in no group. */
export function findAction(word: string): string | undefined {
  return verbGroup.get(stemmer(word));
}
