import type { ToolDescription, ToolOutline } from '@gateway/interchange';
import { examplesField } from '../../common/gateway-fields.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';

/** What the client says of the given tools of its request, in their order. */
export function toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[] {
  const list = tape.get(tape.root, 'tools');
  const nodes = list === undefined ? [] : tape.items(list);
  return tools.flatMap(({ index }) => {
    const node = nodes[index];
    return node === undefined ? [] : [describeTool(tape, node)];
  });
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

/** Examples are texts; anything else among them is passed over. */
function readExamples(tape: JsonTape, node: JsonNode | undefined): string[] {
  return node === undefined ? [] : tape.items(node).flatMap((item) => tape.stringValue(item) ?? []);
}
