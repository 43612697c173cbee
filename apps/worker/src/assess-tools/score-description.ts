import { stemmer } from 'stemmer';
import type { NearDuplicate } from './find-near-duplicates.ts';
import { findAction, listStems, splitWords, type AssessedTool, type ToolParameter } from './assessed-tool.ts';

/** The reason why a tool definition lost points, with a suggested fix. */
export interface DescriptionIssue {
  readonly code: string;
  /** Number of points lost, out of 100. */
  readonly points: number;
  readonly text: string;
  readonly suggestion: string;
}

export interface DescriptionScore {
  /** Score of the tool definition, from 0 to 100. */
  readonly score: number;
  readonly issues: readonly DescriptionIssue[];
}

const charactersMin = 20;
const charactersMax = 2_000;
/** Minimum number of words in the tool's description that do not occur in the tool's name. */
const ownWordsMin = 1;
const parametersMax = 25;
/** Parameter names that carry no information. */
const emptyNames = new Set(
  'data input value arg args param params payload object obj body options opts x foo'.split(' '),
);
const listedMax = 4;

/** Scores how well a tool definition helps a model to choose the right tool. */
export function scoreDescription(tool: AssessedTool, near: readonly NearDuplicate[]): DescriptionScore {
  const issues = [
    judgeLength(tool),
    judgeVerb(tool),
    judgeSubstance(tool),
    judgeDocumentation(tool.parameterList),
    judgeSchema(tool),
    judgeNeighbours(near),
  ].flatMap((issue) => (issue === null ? [] : [issue]));
  return { score: Math.max(0, 100 - issues.reduce((sum, { points }) => sum + points, 0)), issues };
}

type Judgement = DescriptionIssue | null;

function judgeLength({ description, name }: AssessedTool): Judgement {
  const length = description.trim().length;
  if (length === 0) {
    return {
      code: 'no_description',
      points: 40,
      text: 'The tool has no description.',
      suggestion: `Describe in one sentence what ${name} does, what it works on, and when to use it.`,
    };
  }
  if (length < charactersMin) {
    return {
      code: 'short_description',
      points: 15,
      text: `The description has ${length} characters.`,
      suggestion: 'Describe what the tool works on, what it returns, and when to use it.',
    };
  }
  if (length <= charactersMax) return null;
  return {
    code: 'long_description',
    points: 10,
    text: `The description has ${length} characters, which are sent with every request.`,
    suggestion:
      'Keep the part that explains when to use the tool. Move the rest to the parameters, or remove it.',
  };
}

function judgeVerb({ name, description }: AssessedTool): Judgement {
  const words = [...splitWords(name), ...splitWords(description).slice(0, 30)];
  if (words.some((word) => findAction(word) !== undefined)) return null;
  return {
    code: 'no_verb',
    points: 15,
    text: 'The name and the start of the description contain no verb for the action of the tool.',
    suggestion: 'Begin the description with a verb: "Gets …", "Creates …", "Searches …".',
  };
}

/**
 * A tool name with several words can replace a description. A name with only a verb and a noun cannot replace a description.
 */
function judgeSubstance({ name, description, objects }: AssessedTool): Judgement {
  if (description.trim() === '' || objects.size > 1) return null;
  const ofName = new Set(splitWords(name).map(stemmer));
  const own = new Set(
    listStems(description).filter((stem) => !ofName.has(stem) && findAction(stem) === undefined),
  );
  if (own.size >= ownWordsMin) return null;
  return {
    code: 'repeats_name',
    points: 15,
    text: 'The description adds nothing to the name.',
    suggestion: 'Name the object that the tool works on, the key that finds it, and the result.',
  };
}

function judgeDocumentation(parameters: readonly ToolParameter[]): Judgement {
  const bare = parameters.filter(({ isDescribed }) => !isDescribed);
  if (bare.length === 0) return null;
  return {
    code: 'undocumented_parameters',
    points: Math.ceil((20 * bare.length) / parameters.length),
    text: `${bare.length} of ${parameters.length} parameters have no description: ${listNames(bare)}.`,
    suggestion: 'Describe what each parameter is, its form, and where its value comes from.',
  };
}

function judgeSchema({ parameterList, parameters }: AssessedTool): Judgement {
  const untyped = parameterList.filter(({ isTyped }) => !isTyped);
  const empty = parameterList.filter(
    ({ name, isDescribed }) => !isDescribed && emptyNames.has(name.toLowerCase()),
  );
  const smells = [
    ...(untyped.length > 0 ? [`no type: ${listNames(untyped)}`] : []),
    ...(empty.length > 0 ? [`uninformative names: ${listNames(empty)}`] : []),
    ...(parameterList.length > parametersMax ? [`${parameterList.length} parameters`] : []),
    ...(isOpen(parameters) ? ['accepts any arguments'] : []),
  ];
  if (smells.length === 0) return null;
  return {
    code: 'schema_smell',
    points: Math.min(15, 8 * smells.length),
    text: `The schema does not define its input (${smells.join('; ')}).`,
    suggestion: 'Give each parameter an informative name and a type, and mark the required ones.',
  };
}

/** Whether the schema accepts any arguments without describing them. */
function isOpen(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { properties, additionalProperties } = schema as Record<string, unknown>;
  const isEmpty =
    typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0;
  return isEmpty && additionalProperties === true;
}

function judgeNeighbours(near: readonly NearDuplicate[]): Judgement {
  const [nearest] = near;
  if (nearest === undefined) return null;
  return {
    code: 'near_duplicate',
    points: nearest.similarity === 1 ? 20 : 12,
    text: `The tool is easily confused with ${near.map(({ name }) => name).join(', ')}.`,
    suggestion: `Explain in both descriptions what the other tool is for, or offer only one of them. See the suggestions.`,
  };
}

function listNames(parameters: readonly ToolParameter[]): string {
  const names = parameters.slice(0, listedMax).map(({ name }) => name);
  return parameters.length > listedMax ? `${names.join(', ')}, …` : names.join(', ');
}
