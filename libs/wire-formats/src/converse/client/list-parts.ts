import type { MessageRole, ToolDescription, ToolOutline } from '@gateway/interchange';
import type { CallPlace, ContextPart } from '../../common/format.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { listBlockCalls } from '../../common/outline-request.ts';
import { examplesField } from '../../common/gateway-fields.ts';

/**
 * Lists the message parts from a given message index onward. If the index is 0, the system prompt's parts
 * come first. JSON tool results are read-only, because the provider renders JSON as text. Reasoning, images,
 * documents and text for guardrails are omitted.
 */
export function listContext(tape: JsonTape, from: number): ContextPart[] {
  const messages = tape.get(tape.root, 'messages');
  const system = from === 0 ? tape.get(tape.root, 'system') : undefined;
  const listed = messages === undefined ? [] : tape.items(messages);
  return [
    ...(system === undefined
      ? []
      : tape.items(system).flatMap((block) => listText(tape, block, -1, 'system'))),
    ...listed.flatMap((node, index) => (index < from ? [] : listParts(tape, node, index))),
  ];
}

function listParts(tape: JsonTape, node: JsonNode, message: number): ContextPart[] {
  const speaker = tape.stringValue(tape.get(node, 'role')) === 'assistant' ? 'assistant' : 'user';
  const content = tape.get(node, 'content');
  const blocks = content === undefined ? [] : tape.items(content);
  return blocks.flatMap((block) => {
    const result = tape.get(block, 'toolResult');
    const parts = result === undefined ? undefined : tape.get(result, 'content');
    if (parts !== undefined)
      return tape.items(parts).flatMap((part) => listText(tape, part, message, 'tool'));
    return [...listText(tape, block, message, speaker), ...listCall(tape, block, message)];
  });
}

function listText(tape: JsonTape, block: JsonNode, message: number, speaker: MessageRole): ContextPart[] {
  const node = tape.get(block, 'text');
  const text = node ?? (speaker === 'tool' ? tape.get(block, 'json') : undefined);
  if (text === undefined) return [];
  const canChange = node !== undefined && (speaker === 'user' || speaker === 'tool');
  const range = canChange && tape.kind(text) === 'string' ? tape.range(text) : undefined;
  const source = [tape.range(text)];
  return [{ message, speaker, range, source, text: () => tape.stringValue(text) ?? tape.text(text) }];
}

function listCall(tape: JsonTape, block: JsonNode, message: number): ContextPart[] {
  const call = tape.get(block, 'toolUse');
  if (call === undefined) return [];
  const [name, input] = [tape.get(call, 'name'), tape.get(call, 'input')];
  const text = (): string => `${tape.stringValue(name) ?? ''} ${input === undefined ? '' : tape.text(input)}`;
  const source = [name, input].flatMap((node) => (node === undefined ? [] : tape.range(node)));
  return [{ message, speaker: 'assistant', range: undefined, source, text }];
}

/**
 * Lists the tool calls that the client executes. Server tool calls are excluded, because the
 * provider executes them.
 */
export function listCalls(tape: JsonTape): CallPlace[] {
  return listBlockCalls(tape, {
    idMember: 'toolUseId',
    bodyOf: (_, block) => {
      const body = tape.get(block, 'toolUse');
      const isServers = body !== undefined && tape.stringValue(tape.get(body, 'type')) === 'server_tool_use';
      return isServers ? undefined : body;
    },
  });
}

/** The client's definitions of the given tools, in the given order. */
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

/** Parses a tool's examples. Examples that are not strings are skipped. */
function readExamples(tape: JsonTape, node: JsonNode | undefined): string[] {
  return node === undefined ? [] : tape.items(node).flatMap((item) => tape.stringValue(item) ?? []);
}
