import { stemmer } from 'stemmer';
import type { AssessedTool, ToolParameter } from './assessed-tool.ts';
import type { NearDuplicate } from './find-near-duplicates.ts';
import { findAction, listStems, splitWords } from './assessed-tool.ts';

/** A reason why a description lost points, and what to do about it. */
export interface DescriptionIssue {
  readonly code: string;
  /** Of 100. */
  readonly points: number;
  readonly text: string;
  readonly suggestion: string;
}

export interface DescriptionScore {
  /** 0 to 100. */
  readonly score: number;
  readonly issues: readonly DescriptionIssue[];
}

const charactersMin = 20;
const charactersMax = 2_000;
/** Words that the description must say beyond the name. */
const ownWordsMin = 1;
const parametersMax = 25;
/** Names that say nothing of what goes in. */
const emptyNames = new Set(
  'data input value arg args param params payload object obj body options opts x foo'.split(' '),
);
const listedMax = 4;

/** What a definition by itself is worth to whoever has to choose it among others. */
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
      text: 'It has no description.',
      suggestion: `Say in a sentence what ${name} does, to what, and when it is the right tool.`,
    };
  }
  if (length < charactersMin) {
    return {
      code: 'short_description',
      points: 15,
      text: `Its description has ${length} characters.`,
      suggestion: 'Say what it works on, what it gives back, and when it is the right tool.',
    };
  }
  if (length <= charactersMax) return null;
  return {
    code: 'long_description',
    points: 10,
    text: `Its description has ${length} characters, which are sent with every request.`,
    suggestion: 'Keep what tells when to use it; move the rest to the parameters or leave it out.',
  };
}

function judgeVerb({ name, description }: AssessedTool): Judgement {
  const words = [...splitWords(name), ...splitWords(description).slice(0, 30)];
  if (words.some((word) => findAction(word) !== undefined)) return null;
  return {
    code: 'no_verb',
    points: 15,
    text: 'Neither its name nor the start of its description says what it does.',
    suggestion: 'Begin the description with a verb: "Gets …", "Creates …", "Searches …".',
  };
}

/** A name of several words may say it all; one of a verb and a noun does not. */
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
    text: 'Its description says nothing that its name does not say.',
    suggestion: 'Name the thing it works on, by which key it is found, and what comes back.',
  };
}

function judgeDocumentation(parameters: readonly ToolParameter[]): Judgement {
  const bare = parameters.filter(({ isDescribed }) => !isDescribed);
  if (bare.length === 0) return null;
  return {
    code: 'undocumented_parameters',
    points: Math.ceil((20 * bare.length) / parameters.length),
    text: `${bare.length} of ${parameters.length} parameters have no description: ${listNames(bare)}.`,
    suggestion: 'Say of each parameter what it is, in which form, and where it comes from.',
  };
}

function judgeSchema({ parameterList, parameters }: AssessedTool): Judgement {
  const untyped = parameterList.filter(({ isTyped }) => !isTyped);
  const empty = parameterList.filter(
    ({ name, isDescribed }) => !isDescribed && emptyNames.has(name.toLowerCase()),
  );
  const smells = [
    ...(untyped.length > 0 ? [`no type: ${listNames(untyped)}`] : []),
    ...(empty.length > 0 ? [`names that say nothing: ${listNames(empty)}`] : []),
    ...(parameterList.length > parametersMax ? [`${parameterList.length} parameters`] : []),
    ...(isOpen(parameters) ? ['any arguments at all are accepted'] : []),
  ];
  if (smells.length === 0) return null;
  return {
    code: 'schema_smell',
    points: Math.min(15, 8 * smells.length),
    text: `Its schema leaves open what goes in (${smells.join('; ')}).`,
    suggestion: 'Give each parameter a telling name and a type, and say which are required.',
  };
}

/** Arguments that no property describes, and that are not forbidden. */
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
    text: `It is hard to tell from ${near.map(({ name }) => name).join(', ')}.`,
    suggestion: `Say in both descriptions what the other is for, or offer only one of them. See the suggestions.`,
  };
}

function listNames(parameters: readonly ToolParameter[]): string {
  const names = parameters.slice(0, listedMax).map(({ name }) => name);
  return parameters.length > listedMax ? `${names.join(', ')}, …` : names.join(', ');
}
