import type { ToolChoice } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { invalidField } from '../../common/outline-request.ts';

/** @throws GatewayError for what is neither an object nor null. */
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
    // An unknown word is the provider's to judge.
    default:
      return { mode: 'auto' };
  }
}
