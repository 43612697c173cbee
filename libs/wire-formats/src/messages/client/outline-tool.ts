import type { ToolOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { invalidField } from '../../common/outline-request.ts';

/** @throws GatewayError when the element is no object. */
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

/** Anthropic keeps a deferred tool out of the context until it is searched for; a transcript may refer to it by name. */
function isDeferred(tape: JsonTape, node: JsonNode): boolean {
  const deferred = tape.get(node, 'defer_loading');
  return deferred !== undefined && tape.kind(deferred) === 'boolean' && tape.value(deferred) === true;
}

export function hasCacheControl(tape: JsonTape, node: JsonNode): boolean {
  const marker = tape.get(node, 'cache_control');
  return marker !== undefined && tape.kind(marker) !== 'null';
}
