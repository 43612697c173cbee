import type { MessageOutline, MessageRole, ToolCallOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { outlineTexts } from '../../common/outline-request.ts';
import { hasCacheControl } from './outline-tool.ts';

/**
 * Reads what is there: a message of an unknown shape is the provider's to judge. A user's message that holds results of
 * tools and nothing else is the tools' turn.
 */
export function outlineMessage(tape: JsonTape, node: JsonNode, index: number): MessageOutline {
  const content = tape.get(node, 'content');
  const blocks = content === undefined ? [] : tape.items(content);
  const results = blocks.filter((block) => isOfType(tape, block, 'tool_result'));
  const isOfTools = results.length > 0 && results.length === blocks.length;
  const role = isOfTools ? 'tool' : mapRole(tape.stringValue(tape.get(node, 'role')));
  return {
    index,
    role,
    range: tape.range(node),
    cacheControl: [node, ...blocks].some((part) => hasMarker(tape, part)),
    toolCalls: blocks.flatMap((block) => outlineToolUse(tape, block)),
    toolResultIds: results.flatMap((result) => tape.stringValue(tape.get(result, 'tool_use_id')) ?? []),
    ...outlineTexts(tape, () =>
      isOfTools
        ? results.flatMap((result) => textNodes(tape, tape.get(result, 'content')))
        : textNodes(tape, content),
    ),
  };
}

/** The top-level system prompt: a text, or blocks of it. */
export function outlineSystem(tape: JsonTape, node: JsonNode): MessageOutline {
  return {
    index: 0,
    role: 'system',
    range: tape.range(node),
    cacheControl: tape.items(node).some((block) => hasCacheControl(tape, block)),
    toolCalls: [],
    toolResultIds: [],
    ...outlineTexts(tape, () => textNodes(tape, node)),
  };
}

function mapRole(role: string | undefined): MessageRole {
  return role === 'assistant' || role === 'system' ? role : 'user';
}

function isOfType(tape: JsonTape, block: JsonNode, type: string): boolean {
  const node = tape.get(block, 'type');
  return node !== undefined && tape.isString(node, type);
}

/** A marker on a block, or on a block of a tool's result. */
function hasMarker(tape: JsonTape, block: JsonNode): boolean {
  if (hasCacheControl(tape, block)) return true;
  const content = isOfType(tape, block, 'tool_result') ? tape.get(block, 'content') : undefined;
  return content !== undefined && tape.items(content).some((inner) => hasCacheControl(tape, inner));
}

/** Calls that the client answers. Those of server tools have their results in the same message. */
function outlineToolUse(tape: JsonTape, block: JsonNode): ToolCallOutline[] {
  if (!isOfType(tape, block, 'tool_use')) return [];
  const name = tape.stringValue(tape.get(block, 'name'));
  if (name === undefined) return [];
  return [{ id: tape.stringValue(tape.get(block, 'id')) ?? '', name }];
}

function textNodes(tape: JsonTape, content: JsonNode | undefined): JsonNode[] {
  if (content === undefined) return [];
  if (tape.kind(content) === 'string') return [content];
  return tape.items(content).flatMap((block) => {
    const text = tape.get(block, 'text');
    return text !== undefined && tape.kind(text) === 'string' ? [text] : [];
  });
}
