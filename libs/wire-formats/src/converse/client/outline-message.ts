import type { MessageOutline, MessageRole, ToolCallOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { outlineTexts } from '../../common/outline-request.ts';

/** Reads what is there: a message of an unknown shape is the provider's to judge. */
export function outlineMessage(tape: JsonTape, node: JsonNode, index: number): MessageOutline {
  const content = tape.get(node, 'content');
  const blocks = content === undefined ? [] : tape.items(content);
  return { ...outlineBlocks(tape, blocks), index, role: mapRole(tape, node), range: tape.range(node) };
}

/** The system prompt, as the message that it would be. */
export function outlineSystem(tape: JsonTape, node: JsonNode): MessageOutline {
  return { ...outlineBlocks(tape, tape.items(node)), index: 0, role: 'system', range: tape.range(node) };
}

function mapRole(tape: JsonTape, node: JsonNode): MessageRole {
  const role = tape.stringValue(tape.get(node, 'role'));
  return role === 'assistant' || role === 'system' ? role : 'user';
}

type BlocksOutline = Pick<
  MessageOutline,
  'cacheControl' | 'toolCalls' | 'toolResultIds' | 'text' | 'textRanges'
>;

function outlineBlocks(tape: JsonTape, blocks: readonly JsonNode[]): BlocksOutline {
  return {
    cacheControl: blocks.some((block) => tape.get(block, 'cachePoint') !== undefined),
    toolCalls: blocks.flatMap((block) => outlineToolCall(tape, tape.get(block, 'toolUse'))),
    toolResultIds: blocks.flatMap((block) => outlineResult(tape, tape.get(block, 'toolResult'))),
    ...outlineTexts(tape, () => blocks.flatMap((block) => textNodes(tape, block))),
  };
}

function textNodes(tape: JsonTape, block: JsonNode): JsonNode[] {
  const guarded = tape.get(block, 'guardContent');
  const inner = guarded === undefined ? undefined : tape.get(guarded, 'text');
  const text = inner === undefined ? tape.get(block, 'text') : tape.get(inner, 'text');
  return text !== undefined && tape.kind(text) === 'string' ? [text] : [];
}

/** Calls of the provider's own carry their results with them: nobody has to answer them. */
function outlineToolCall(tape: JsonTape, body: JsonNode | undefined): ToolCallOutline[] {
  if (body === undefined || tape.stringValue(tape.get(body, 'type')) === 'server_tool_use') return [];
  const name = tape.stringValue(tape.get(body, 'name'));
  return name === undefined ? [] : [{ id: tape.stringValue(tape.get(body, 'toolUseId')) ?? '', name }];
}

function outlineResult(tape: JsonTape, body: JsonNode | undefined): string[] {
  if (body === undefined) return [];
  const type = tape.stringValue(tape.get(body, 'type'));
  if (type !== undefined && type !== 'tool_result') return [];
  return [tape.stringValue(tape.get(body, 'toolUseId')) ?? []].flat();
}
