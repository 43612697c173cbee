import { invalidField } from '@gateway/errors';
import { describeTools, readExamples } from '../../common/outline-request.ts';
import type { ToolChoice, ToolDescription, ToolOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { findBody, hasCacheMarker, readName } from '../shared/tools.ts';
import { examplesField } from '../../common/gateway-fields.ts';

/** @throws GatewayError when the tool is not an object. */
export function outlineTool(tape: JsonTape, node: JsonNode, index: number): ToolOutline {
  if (tape.kind(node) !== 'object') throw invalidField(`tools[${index}]`, 'an object');
  const body = findBody(tape, node);
  const name = readName(tape, node);
  return {
    index,
    name,
    // A custom tool takes free text or a grammar instead of a schema.
    builtIn: name === undefined || body === undefined || body !== tape.get(node, 'function'),
    cacheControl: hasCacheMarker(tape, node) || (body !== undefined && hasCacheMarker(tape, body)),
    range: tape.range(node),
  };
}

/** @throws GatewayError when the tool choice is not a string, an object or null. */
export function outlineToolChoice(tape: JsonTape, node: JsonNode | undefined): ToolChoice {
  if (node === undefined || tape.kind(node) === 'null') return { mode: 'unset' };
  if (tape.kind(node) === 'string') return mapMode(tape.stringValue(node));
  if (tape.kind(node) !== 'object') throw invalidField('tool_choice', 'a string or an object');
  const allowed = tape.get(node, 'allowed_tools');
  if (allowed !== undefined) return readAllowed(tape, allowed);
  const name = readName(tape, node);
  // A tool choice without a name forces a built-in tool. Built-in tools are never pruned.
  return name === undefined ? { mode: 'auto' } : { mode: 'tool', name };
}

/** Unknown tool choice modes are sent to the provider, which validates them. */
function mapMode(mode: string | undefined): ToolChoice {
  switch (mode) {
    case 'none':
      return { mode: 'none' };
    case 'required':
    case 'any':
      return { mode: 'required' };
    default:
      return { mode: 'auto' };
  }
}

function readAllowed(tape: JsonTape, allowed: JsonNode): ToolChoice {
  const tools = tape.get(allowed, 'tools');
  const names = tools === undefined ? [] : tape.items(tools).flatMap((tool) => readName(tape, tool) ?? []);
  const mode = tape.get(allowed, 'mode');
  const isRequired = mode !== undefined && tape.isString(mode, 'required');
  return { mode: 'allowed', names, ...(isRequired ? { required: true } : {}) };
}

/** The client's definitions of the given tools, in the given order. */
export function toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[] {
  return describeTools(tape, tools, (node) => describeTool(tape, node));
}

function describeTool(tape: JsonTape, node: JsonNode): ToolDescription {
  const body = findBody(tape, node) ?? node;
  const parameters = tape.get(body, 'parameters');
  return {
    name: readName(tape, node) ?? null,
    description: tape.stringValue(tape.get(body, 'description')) ?? '',
    parameters: parameters === undefined ? null : tape.value(parameters),
    examples: readExamples(tape, tape.get(body, examplesField) ?? tape.get(node, examplesField)),
  };
}
