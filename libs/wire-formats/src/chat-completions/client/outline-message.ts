import type { MessageOutline, MessageRole, ToolCallOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { outlineTexts } from '../../common/outline-request.ts';
import { hasCacheMarker, readName } from '../tool-shape.ts';

/** Reads what is there: a message of an unknown shape is the provider's to judge. */
export function outlineMessage(tape: JsonTape, node: JsonNode, index: number): MessageOutline {
  const role = readRole(tape, tape.get(node, 'role'));
  const content = tape.get(node, 'content');
  const calls = itemsOf(tape, tape.get(node, 'tool_calls'));
  const resultId = role === 'tool' ? tape.stringValue(tape.get(node, 'tool_call_id')) : undefined;
  const hasMarker = (part: JsonNode): boolean => hasCacheMarker(tape, part);
  const { text, textRanges } = outlineTexts(tape, () =>
    content === undefined ? [] : textNodes(tape, content),
  );
  return {
    index,
    role,
    range: tape.range(node),
    cacheControl: hasMarker(node) || calls.some(hasMarker) || itemsOf(tape, content).some(hasMarker),
    toolCalls: calls.flatMap((call) => outlineToolCall(tape, call)),
    toolResultIds: resultId === undefined ? [] : [resultId],
    textRanges,
    text,
  };
}

/** What `mapRole` knows, the most frequent first: compared where it stands, a role costs no text. */
const roles = ['user', 'assistant', 'tool', 'system', 'developer', 'function'] as const;

export function readRole(tape: JsonTape, node: JsonNode | undefined): MessageRole {
  return mapRole(node === undefined ? undefined : roles.find((name) => tape.isString(node, name)));
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

function textNodes(tape: JsonTape, content: JsonNode): JsonNode[] {
  if (tape.kind(content) === 'string') return [content];
  return tape.items(content).flatMap((part) => {
    const text = tape.kind(part) === 'string' ? part : tape.get(part, 'text');
    return text !== undefined && tape.kind(text) === 'string' ? [text] : [];
  });
}
