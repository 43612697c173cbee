import { parseExactJson } from '@gateway/wire-formats';
import type { RecoveryTool } from './recovery.ts';

/** The name of the recovery tool. The gateway uses a different name if the client has a tool with this name. */
const ownName = 'svc_more_tools';

/** The inputs from which the recovery tool is built. */
interface RecoveryToolInput {
  /** Names of the pruned tools, in the client's order. */
  readonly names: readonly string[];
  /** Every tool name in the client's list, including tools that the API key may not use. */
  readonly taken: ReadonlySet<string>;
  /** Whether the recovery tool can return the original text of compressed content. */
  readonly recalls: boolean;
}

const text = { type: 'string' } as const;

/**
 * Maximum number of characters in a tool's description at OpenAI and Azure, which reject longer descriptions
 * (`string_above_max_length`).
 */
const descriptionCharactersMax = 1024;

/**
 * Renders the recovery tool. The output depends only on the input, so the same tool names always give the
 * same bytes. If the names do not fit into the tool's description, they are listed in the description of the
 * parameter `names`.
 */
export function renderRecoveryTool({ names, taken, recalls }: RecoveryToolInput): RecoveryTool {
  const standsForTools = names.length > 0;
  const listed = names.join(', ');
  const texts = [standsForTools ? [toolsText, listed] : [], recalls ? [originalsText] : []].flat();
  const isWhole = texts.join('\n').length <= descriptionCharactersMax;
  return {
    kind: 'function',
    name: chooseName(taken),
    description: (isWhole ? texts : texts.filter((line) => line !== listed)).join('\n'),
    parameters: {
      type: 'object',
      properties: {
        action: {
          ...text,
          enum: [standsForTools ? ['describe', 'call'] : [], recalls ? ['original'] : []].flat(),
        },
        ...(standsForTools ? parametersOfTools(isWhole ? '' : `. There are: ${listed}`) : {}),
        ...(recalls ? { id: { ...text, description: 'original: the id in the marker' } } : {}),
      },
      required: ['action'],
    },
  };
}

function parametersOfTools(rest: string): Record<string, object> {
  return {
    names: { type: 'array', items: text, description: `describe: names of tools${rest}` },
    need: { ...text, description: 'describe: what a tool is needed for, where its name is not known' },
    name: { ...text, description: 'call: the tool' },
    arguments: { type: 'object', description: 'call: its arguments, as its definition says' },
  };
}

const toolsText =
  'More tools, which are not in the list. describe: gives definitions, by names or by need. ' +
  'call: calls one, by its name and arguments. Describe a tool before its first call.';

const originalsText =
  'original: brings back, by its id, what a marker in the conversation says was left out.';

function chooseName(taken: ReadonlySet<string>): string {
  let name = ownName;
  for (let number = 2; taken.has(name); number += 1) name = `${ownName}_${number}`;
  return name;
}

/** A parsed call to the recovery tool. */
export type RecoveryToolCall =
  | { readonly action: 'describe'; readonly names: readonly string[]; readonly need: string | null }
  | { readonly action: 'call'; readonly name: string; readonly argumentsText: string }
  | { readonly action: 'original'; readonly id: string }
  | { readonly action: 'unclear' };

const unclear: RecoveryToolCall = { action: 'unclear' };

/**
 * Parses a recovery tool call from the model. If the call has no action, the function derives the action from
 * the other fields of the call.
 */
export function parseRecoveryToolCall(argumentsText: string): RecoveryToolCall {
  const members = parseObject(argumentsText);
  if (members === undefined) return unclear;
  const { name, id } = members;
  switch (readAction(members)) {
    case 'describe':
      return parseDescribe(members);
    case 'call':
      return typeof name === 'string'
        ? { action: 'call', name, argumentsText: renderArguments(members.arguments) }
        : unclear;
    case 'original':
      return typeof id === 'string' ? { action: 'original', id } : unclear;
    default:
      return unclear;
  }
}

/**
 * Renders a call to a pruned tool as a call to the recovery tool. In later turns of the conversation, the
 * transcript contains the rewritten call.
 */
export function renderRecoveryToolCall(name: string, argumentsText: string): string {
  const given = parseObject(argumentsText) === undefined ? JSON.stringify(argumentsText) : argumentsText;
  return `{"action":"call","name":${JSON.stringify(name)},"arguments":${given}}`;
}

function readAction(members: Record<string, unknown>): unknown {
  if (members.action !== undefined) return members.action;
  if (typeof members.name === 'string') return 'call';
  if (typeof members.id === 'string') return 'original';
  return 'describe';
}

function parseDescribe({ names, name, need }: Record<string, unknown>): RecoveryToolCall {
  const listed = [names, name].flat().filter((entry) => typeof entry === 'string');
  const needText = typeof need === 'string' && need.trim() !== '' ? need : null;
  return listed.length === 0 && needText === null
    ? unclear
    : { action: 'describe', names: listed, need: needText };
}

/** Some models send the arguments as a string that contains JSON. */
function renderArguments(given: unknown): string {
  if (given === undefined || given === null) return '{}';
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseExactJson(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
