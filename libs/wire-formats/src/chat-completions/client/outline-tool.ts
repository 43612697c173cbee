import type { ToolOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { invalidField } from '../../common/outline-request.ts';
import { findBody, hasCacheMarker, readName } from '../tool-shape.ts';

/** @throws GatewayError when the element is no object. */
export function outlineTool(tape: JsonTape, node: JsonNode, index: number): ToolOutline {
  if (tape.kind(node) !== 'object') throw invalidField(`tools[${index}]`, 'an object');
  const body = findBody(tape, node);
  const name = readName(tape, node);
  return {
    index,
    name,
    // A custom tool has a grammar or free text where a function has a schema.
    builtIn: name === undefined || body === undefined || body !== tape.get(node, 'function'),
    cacheControl: hasCacheMarker(tape, node) || (body !== undefined && hasCacheMarker(tape, body)),
    range: tape.range(node),
  };
}
