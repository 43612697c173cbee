import type { MessageOutline, MessageRole, ToolCallOutline } from '@gateway/interchange';
import type { JsonNode } from '../../json/json-node.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import { hasCacheMarker, readName } from '../tool-shape.ts';

/** Reads what is there: a message of an unknown shape is the provider's to judge. */
export function outlineMessage(tape: JsonTape, node: JsonNode, index: number): MessageOutline {
  const role = mapRole(tape.stringValue(tape.get(node, 'role')));
  const content = tape.get(node, 'content');
  const calls = itemsOf(tape, tape.get(node, 'tool_calls'));
  const resultId = role === 'tool' ? tape.stringValue(tape.get(node, 'tool_call_id')) : undefined;
  return {
    index,
    role,
    range: tape.range(node),
    cacheControl: [[node], calls, itemsOf(tape, content)].some((parts) =>
      parts.some((part) => hasCacheMarker(tape, part)),
    ),
    toolCalls: calls.flatMap((call) => outlineToolCall(tape, call)),
    toolResultIds: resultId === undefined ? [] : [resultId],
    text: () => (content === undefined ? '' : readText(tape, content)),
  };
}

export function mapRole(role: string | undefined): MessageRole {
  switch (role) {
    case 'system':
    case 'developer':
      return 'system';
    case 'assistant':
      return 'assistant';
    case 'tool':
    case 'function':
      return 'tool';
    default:
      return 'user';
  }
}

function itemsOf(tape: JsonTape, node: JsonNode | undefined): JsonNode[] {
  return node === undefined ? [] : tape.items(node);
}

function outlineToolCall(tape: JsonTape, call: JsonNode): ToolCallOutline[] {
  const name = readName(tape, call);
  if (name === undefined) return [];
  return [{ id: tape.stringValue(tape.get(call, 'id')) ?? '', name }];
}

function readText(tape: JsonTape, content: JsonNode): string {
  const whole = tape.stringValue(content);
  if (whole !== undefined) return whole;
  return tape
    .items(content)
    .flatMap((part) => tape.stringValue(part) ?? tape.stringValue(tape.get(part, 'text')) ?? [])
    .join('\n');
}
