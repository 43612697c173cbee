import type { JsonObject, ToolCallPart } from '@gateway/interchange';
import { asObject, asText, optional, otherMembers } from '../../json/read-members.ts';
import { own, readRest } from './own-members.ts';

/** Parses all fields of a tool call except the arguments. */
export function parseCallHead(raw: JsonObject): Omit<ToolCallPart, 'type' | 'argumentsText'> {
  const called = asObject(raw.function) ?? {};
  const rest = {
    ...otherMembers(raw, ['id', 'type', 'function']),
    ...optional('function', otherMembers(called, ['name', 'arguments'])),
  };
  return { id: asText(raw.id) ?? '', name: asText(called.name) ?? '', kind: 'function', ...own.with(rest) };
}

export function parseArguments(raw: JsonObject): string {
  return asText(asObject(raw.function)?.arguments) ?? '';
}

export function parseToolCall(raw: JsonObject): ToolCallPart {
  return { ...parseCallHead(raw), type: 'tool-call', argumentsText: parseArguments(raw) };
}

export function renderToolCall(call: ToolCallPart): JsonObject {
  const { function: called, ...rest } = readRest(call);
  return {
    id: call.id,
    type: 'function',
    // Renders the arguments of a tool call. An empty object is rendered for a tool call without arguments.
    function: { name: call.name, arguments: call.argumentsText || '{}', ...asObject(called) },
    ...rest,
  };
}
