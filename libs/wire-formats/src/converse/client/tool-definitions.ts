import type { ToolDescription, ToolOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { examplesField } from '../../common/gateway-fields.ts';

/** What the client says of the given tools of its request, in their order. */
export function toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[] {
  const config = tape.get(tape.root, 'toolConfig');
  const list = config === undefined ? undefined : tape.get(config, 'tools');
  const nodes = list === undefined ? [] : tape.items(list);
  return tools.flatMap(({ index }) => {
    const node = nodes[index];
    return node === undefined ? [] : [describeTool(tape, node)];
  });
}

function describeTool(tape: JsonTape, node: JsonNode): ToolDescription {
  const body = tape.get(node, 'toolSpec') ?? tape.get(node, 'systemTool') ?? node;
  const schema = tape.get(body, 'inputSchema');
  const parameters = schema === undefined ? undefined : tape.get(schema, 'json');
  return {
    name: tape.stringValue(tape.get(body, 'name')) ?? null,
    description: tape.stringValue(tape.get(body, 'description')) ?? '',
    parameters: parameters === undefined ? null : tape.value(parameters),
    examples: readExamples(tape, tape.get(body, examplesField) ?? tape.get(node, examplesField)),
  };
}

/** Examples are texts; anything else among them is passed over. */
function readExamples(tape: JsonTape, node: JsonNode | undefined): string[] {
  return node === undefined ? [] : tape.items(node).flatMap((item) => tape.stringValue(item) ?? []);
}
