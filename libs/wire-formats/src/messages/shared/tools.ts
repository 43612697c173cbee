import type { JsonObject, ToolCallPart, ToolChoice } from '@gateway/interchange';
import { parseExactJson } from '../../json/parse-json.ts';
import { asObject, asText, isEmpty, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own, parseCacheControl, renderCacheControl } from './own-members.ts';

const named = ['type', 'id', 'name', 'input', 'cache_control', 'signature'] as const;

/** Undefined for a block without an id or a name. */
export function parseToolUse(raw: JsonObject): ToolCallPart | undefined {
  const id = asText(raw.id);
  const name = asText(raw.name);
  if (id === undefined || name === undefined) return undefined;
  return {
    type: 'tool-call',
    id,
    name,
    kind: 'function',
    argumentsText: JSON.stringify(raw.input ?? {}),
    ...optional('signature', asText(raw.signature)),
    ...withMarker(raw),
    ...own.with(readOwnMembers(raw)),
  };
}

/** What the format alone knows of a call. Its input may be something else than an object: the provider judges that. */
export function readOwnMembers(raw: JsonObject): JsonObject {
  const marker = parseCacheControl(raw);
  return {
    ...otherMembers(raw, named),
    ...(marker === undefined ? optional('cache_control', raw.cache_control) : {}),
  };
}

function withMarker(raw: JsonObject): Pick<ToolCallPart, 'cacheMarker'> {
  const cacheMarker = parseCacheControl(raw);
  return cacheMarker === undefined ? {} : { cacheMarker };
}

/** The block without its input. */
export function renderToolUseHead(call: Omit<ToolCallPart, 'argumentsText' | 'type'>): JsonObject {
  return {
    ...own.read(call),
    type: 'tool_use',
    id: call.id,
    name: call.name,
    ...renderCacheControl(call.cacheMarker),
  };
}

/** What the arguments say; undefined when they are no JSON, which only a model that failed at writing it leaves. */
export function readArguments(argumentsText: string): unknown {
  if (argumentsText.trim() === '') return {};
  try {
    return parseExactJson(argumentsText);
  } catch {
    return undefined;
  }
}

/** The arguments as the object that a request has to have. Undefined when they are none. */
export function parseArguments(argumentsText: string): JsonObject | undefined {
  const read = readArguments(argumentsText);
  // Some models write `null` where a tool takes nothing.
  return asObject(read === null ? {} : read);
}

/** Input that a block starts with already; undefined for the empty object that most start with. */
export function readInitialInput(raw: JsonObject): string | undefined {
  const { input } = raw;
  return isObject(input) && !isEmpty(input) ? JSON.stringify(input) : undefined;
}

/**
 * The member `tool_choice`; undefined where there is nothing to say. The format has no choice among some of the tools:
 * whoever renders those leaves the others out.
 */
export function renderToolChoice(
  choice: ToolChoice,
  parallelToolCalls: boolean | undefined,
): JsonObject | undefined {
  const disables = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  switch (choice.mode) {
    case 'unset':
      return parallelToolCalls === false ? { type: 'auto', ...disables } : undefined;
    case 'auto':
      return { type: 'auto', ...disables };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...disables };
    case 'tool':
      return { type: 'tool', name: choice.name, ...disables };
    case 'allowed':
      return { type: choice.required === true ? 'any' : 'auto', ...disables };
  }
}
