import type { ToolChoice } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { invalidField } from '../../common/outline-request.ts';
import { readName } from '../tool-shape.ts';

/** @throws GatewayError for what is neither a string, an object, nor null. */
export function outlineToolChoice(tape: JsonTape, node: JsonNode | undefined): ToolChoice {
  if (node === undefined || tape.kind(node) === 'null') return { mode: 'unset' };
  if (tape.kind(node) === 'string') return mapMode(tape.stringValue(node));
  if (tape.kind(node) !== 'object') throw invalidField('tool_choice', 'a string or an object');
  const allowed = tape.get(node, 'allowed_tools');
  if (allowed !== undefined) return readAllowed(tape, allowed);
  const name = readName(tape, node);
  // An object without a name forces something built in, which no plan drops.
  return name === undefined ? { mode: 'auto' } : { mode: 'tool', name };
}

/** An unknown word is the provider's to judge. */
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
