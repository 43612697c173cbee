import { invalidField } from '@gateway/errors';
import { describeTools, readExamples } from '../../common/outline-request.ts';
import type { ToolChoice, ToolDescription, ToolOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { examplesField } from '../../common/gateway-fields.ts';

/** @throws GatewayError if the tool is not an object. */
export function outlineTool(tape: JsonTape, node: JsonNode, index: number): ToolOutline {
  if (tape.kind(node) !== 'object') throw invalidField(`tools[${index}]`, 'an object');
  const name = tape.stringValue(tape.get(node, 'name'));
  const schema = tape.get(node, 'input_schema');
  return {
    index,
    name,
    builtIn: name === undefined || schema === undefined || isDeferred(tape, node),
    cacheControl: hasCacheControl(tape, node),
    range: tape.range(node),
  };
}

/**
 * Anthropic keeps a deferred tool out of the context until a tool search finds the tool. A transcript may
 * contain the names of deferred tools.
 */
function isDeferred(tape: JsonTape, node: JsonNode): boolean {
  const deferred = tape.get(node, 'defer_loading');
  return deferred !== undefined && tape.kind(deferred) === 'boolean' && tape.value(deferred) === true;
}

export function hasCacheControl(tape: JsonTape, node: JsonNode): boolean {
  const marker = tape.get(node, 'cache_control');
  return marker !== undefined && tape.kind(marker) !== 'null';
}

/** @throws GatewayError if the tool choice is neither an object nor null. */
export function outlineToolChoice(tape: JsonTape, node: JsonNode | undefined): ToolChoice {
  if (node === undefined || tape.kind(node) === 'null') return { mode: 'unset' };
  if (tape.kind(node) !== 'object') throw invalidField('tool_choice', 'an object');
  switch (tape.stringValue(tape.get(node, 'type'))) {
    case 'any':
      return { mode: 'required' };
    case 'none':
      return { mode: 'none' };
    case 'tool': {
      const name = tape.stringValue(tape.get(node, 'name'));
      if (name === undefined) throw invalidField('tool_choice.name', 'the name of a tool');
      return { mode: 'tool', name };
    }
    // Unknown types of tool choice are sent to the provider, which validates them.
    default:
      return { mode: 'auto' };
  }
}

/** The client's definitions of the given tools, in the given order. */
export function toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[] {
  return describeTools(tape, tools, (node) => describeTool(tape, node));
}

function describeTool(tape: JsonTape, node: JsonNode): ToolDescription {
  const schema = tape.get(node, 'input_schema');
  return {
    name: tape.stringValue(tape.get(node, 'name')) ?? null,
    description: tape.stringValue(tape.get(node, 'description')) ?? '',
    parameters: schema === undefined ? null : tape.value(schema),
    examples: readExamples(tape, tape.get(node, examplesField)),
  };
}
