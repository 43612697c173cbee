import { parseExactJson } from '@gateway/wire-formats';

/** What a model asks of the stand-in. */
export type StandInCall =
  | { readonly action: 'describe'; readonly names: readonly string[]; readonly need: string | null }
  | { readonly action: 'call'; readonly name: string; readonly argumentsText: string }
  | { readonly action: 'original'; readonly id: string }
  | { readonly action: 'unclear' };

const unclear: StandInCall = { action: 'unclear' };

/** Reads what a model wrote. Lenient: an action that is not said is told by the other members. */
export function parseStandInCall(argumentsText: string): StandInCall {
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

/** The same call, as a model would have written it: how calls of tools that are left out stand in later turns. */
export function renderStandInCall(name: string, argumentsText: string): string {
  const given = parseObject(argumentsText) === undefined ? JSON.stringify(argumentsText) : argumentsText;
  return `{"action":"call","name":${JSON.stringify(name)},"arguments":${given}}`;
}

function readAction(members: Record<string, unknown>): unknown {
  if (members.action !== undefined) return members.action;
  if (typeof members.name === 'string') return 'call';
  if (typeof members.id === 'string') return 'original';
  return 'describe';
}

function parseDescribe({ names, name, need }: Record<string, unknown>): StandInCall {
  const listed = [names, name].flat().filter((entry) => typeof entry === 'string');
  const told = typeof need === 'string' && need.trim() !== '' ? need : null;
  return listed.length === 0 && told === null ? unclear : { action: 'describe', names: listed, need: told };
}

/** Some models write the arguments as a text that holds their JSON. */
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
