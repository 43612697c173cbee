import { findAction, listStems, splitWords } from './words.ts';

/** A definition as a request offered it. */
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

/** A tool taken apart, as far as its score and its collisions go by it. */
export interface AssessedTool extends OfferedTool {
  /** What it does, by its name or else by how its description begins: `get` for fetch too. */
  readonly action: string | undefined;
  /** The stems of its name without the verb. */
  readonly objects: ReadonlySet<string>;
  readonly descriptionStems: readonly string[];
  readonly parameterList: readonly ToolParameter[];
}

const parametersMax = 200;

export function takeApart(tool: OfferedTool): AssessedTool {
  const words = splitWords(tool.name);
  const verbAt = words.findIndex((word) => findAction(word) !== undefined);
  const verb = words[verbAt];
  const opening = splitWords(tool.description)
    .slice(0, 4)
    .find((word) => findAction(word) !== undefined);
  const action = findAction(verb ?? opening ?? '');
  return {
    ...tool,
    action,
    objects: new Set(listStems(words.filter((_, at) => at !== verbAt).join(' '))),
    descriptionStems: listStems(tool.description),
    parameterList: listParameters(tool.parameters),
  };
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
