import type { ToolOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { invalidField } from '../../common/outline-request.ts';

/**
 * The elements of `toolConfig.tools`. A cache point is one too: it has no name, and marks the tool before it.
 *
 * @throws GatewayError when an element is no object.
 */
export function outlineTools(tape: JsonTape, tools: JsonNode): ToolOutline[] {
  const nodes = tape.items(tools);
  return nodes.map((node, index) => {
    if (tape.kind(node) !== 'object') throw invalidField(`toolConfig.tools[${index}]`, 'an object');
    const spec = tape.get(node, 'toolSpec');
    const body = spec ?? tape.get(node, 'systemTool');
    const name = body === undefined ? undefined : tape.stringValue(tape.get(body, 'name'));
    return {
      index,
      name,
      builtIn: spec === undefined || name === undefined,
      cacheControl: isCachePoint(tape, node) || isCachePoint(tape, nodes[index + 1]),
      range: tape.range(node),
    };
  });
}

export function isCachePoint(tape: JsonTape, node: JsonNode | undefined): boolean {
  return node !== undefined && tape.get(node, 'cachePoint') !== undefined;
}
