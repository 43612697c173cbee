import type { JsonObject, ToolCallPart, ToolChoice } from '@gateway/interchange';
import { parseExactJson } from '../../json/parse-json.ts';
import { asObject, asText, isEmpty, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own, parseCacheControl, renderCacheControl } from './own-members.ts';

const named = ['type', 'id', 'name', 'input', 'cache_control', 'signature'] as const;

/** Parses a tool call block. Returns undefined for a block without an id or a name. */
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

/** Tool call fields that only the messages format defines. */
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

/** Renders a tool call block without its input. */
export function renderToolUseHead(call: Omit<ToolCallPart, 'argumentsText' | 'type'>): JsonObject {
  return {
    ...own.read(call),
    type: 'tool_use',
    id: call.id,
    name: call.name,
    ...renderCacheControl(call.cacheMarker),
  };
}

/** Parses the arguments of a tool call. Returns undefined if the model wrote invalid JSON. */
export function readArguments(argumentsText: string): unknown {
  if (argumentsText.trim() === '') return {};
  try {
    return parseExactJson(argumentsText);
  } catch {
    return undefined;
  }
}

/**
 * Parses tool call arguments into an object, because requests require an object. Returns undefined if the
 * arguments are not an object.
 */
export function parseArguments(argumentsText: string): JsonObject | undefined {
  const read = readArguments(argumentsText);
  // Some models write `null` for a tool without parameters.
  return asObject(read === null ? {} : read);
}

/**
 * The input at the start of a tool call block, as JSON text. Returns undefined for an empty object, which is
 * the usual initial input.
 */
export function readInitialInput(raw: JsonObject): string | undefined {
  const { input } = raw;
  return isObject(input) && !isEmpty(input) ? JSON.stringify(input) : undefined;
}

/**
 * Renders `tool_choice`. Returns undefined if the request needs no tool choice. The messages format cannot
 * restrict a model to some of the tools, so only the allowed tools are sent.
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
