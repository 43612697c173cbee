import type { MessageOutline, MessageRole, ToolCallOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { listBlockCalls, outlineTexts } from '../../common/outline-request.ts';
import { hasCacheControl } from './outline-tools.ts';
import type { CallPlace, ContextPart } from '../../common/format.ts';

/**
 * Reads only known fields of a message. The provider validates messages with an unknown shape. A user message
 * that contains only tool results is given the role `tool`.
 */
export function outlineMessage(tape: JsonTape, node: JsonNode, index: number): MessageOutline {
  const content = tape.get(node, 'content');
  const blocks = content === undefined ? [] : tape.items(content);
  const results = blocks.filter((block) => isOfType(tape, block, 'tool_result'));
  const hasOnlyResults = results.length > 0 && results.length === blocks.length;
  const role = hasOnlyResults ? 'tool' : mapRole(tape.stringValue(tape.get(node, 'role')));
  return {
    index,
    role,
    range: tape.range(node),
    cacheControl: [node, ...blocks].some((part) => hasMarker(tape, part)),
    toolCalls: blocks.flatMap((block) => outlineToolUse(tape, block)),
    toolResultIds: results.flatMap((result) => tape.stringValue(tape.get(result, 'tool_use_id')) ?? []),
    ...outlineTexts(tape, () =>
      hasOnlyResults
        ? results.flatMap((result) => textNodes(tape, tape.get(result, 'content')))
        : textNodes(tape, content),
    ),
  };
}

/** Reads the top-level system prompt, which is a string or a list of text blocks. */
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

/** Whether a block or its tool result has a cache marker. */
function hasMarker(tape: JsonTape, block: JsonNode): boolean {
  if (hasCacheControl(tape, block)) return true;
  const content = isOfType(tape, block, 'tool_result') ? tape.get(block, 'content') : undefined;
  return content !== undefined && tape.items(content).some((inner) => hasCacheControl(tape, inner));
}

/**
 * Lists the tool calls for which the client must send results. Server tool calls are skipped, because the
 * same message contains their results.
 */
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

/**
 * The text and tool calls in the messages from index `from` onward. Index 0 includes the system prompt.
 * Thinking, images and documents are skipped.
 */
export function listContext(tape: JsonTape, from: number): ContextPart[] {
  const messages = tape.get(tape.root, 'messages');
  const system = from === 0 ? tape.get(tape.root, 'system') : undefined;
  const listed = messages === undefined ? [] : tape.items(messages);
  return [
    ...(system === undefined ? [] : textParts(tape, system, -1, 'system', false)),
    ...listed.flatMap((node, index) => (index < from ? [] : listParts(tape, node, index))),
  ];
}

function listParts(tape: JsonTape, node: JsonNode, message: number): ContextPart[] {
  const role = tape.stringValue(tape.get(node, 'role'));
  const speaker = role === 'assistant' || role === 'system' ? role : 'user';
  const content = tape.get(node, 'content');
  if (content === undefined) return [];
  if (tape.kind(content) === 'string') return textParts(tape, content, message, speaker, speaker === 'user');
  return tape.items(content).flatMap((block) => listBlock(tape, block, message, speaker));
}

function listBlock(tape: JsonTape, block: JsonNode, message: number, speaker: MessageRole): ContextPart[] {
  const type = tape.get(block, 'type');
  if (type === undefined) return [];
  if (tape.isString(type, 'text')) return blockText(tape, block, message, speaker, speaker === 'user');
  if (tape.isString(type, 'tool_result') && speaker === 'user') {
    const content = tape.get(block, 'content');
    return content === undefined ? [] : textParts(tape, content, message, 'tool', true);
  }
  if (!tape.isString(type, 'tool_use')) return [];
  const [name, input] = [tape.get(block, 'name'), tape.get(block, 'input')];
  const text = (): string => `${tape.stringValue(name) ?? ''} ${input === undefined ? '' : tape.text(input)}`;
  const source = [name, input].flatMap((node) => (node === undefined ? [] : tape.range(node)));
  return [{ message, speaker, range: undefined, source, text }];
}

/** Reads a content string or the text blocks in a content list. */
function textParts(
  tape: JsonTape,
  content: JsonNode,
  message: number,
  speaker: MessageRole,
  canChange: boolean,
): ContextPart[] {
  if (tape.kind(content) === 'string') return [textPart(tape, content, message, speaker, canChange)];
  return tape.items(content).flatMap((block) => blockText(tape, block, message, speaker, canChange));
}

function blockText(
  tape: JsonTape,
  block: JsonNode,
  message: number,
  speaker: MessageRole,
  canChange: boolean,
): ContextPart[] {
  const text = tape.get(block, 'text');
  if (text === undefined || tape.kind(text) !== 'string') return [];
  // Citations contain positions in the text, so cited text must not change.
  const isCited = tape.get(block, 'citations') !== undefined;
  return [textPart(tape, text, message, speaker, canChange && !isCited)];
}

function textPart(
  tape: JsonTape,
  node: JsonNode,
  message: number,
  speaker: MessageRole,
  canChange: boolean,
): ContextPart {
  const range = tape.range(node);
  return {
    message,
    speaker,
    range: canChange ? range : undefined,
    source: [range],
    text: () => tape.stringValue(node) ?? '',
  };
}

/** Returns the positions of the tool calls for which the client must send results. Server tool calls are skipped. */
export function listCalls(tape: JsonTape): CallPlace[] {
  return listBlockCalls(tape, {
    idMember: 'id',
    bodyOf: (_, block) => {
      const type = tape.get(block, 'type');
      return type !== undefined && tape.isString(type, 'tool_use') ? block : undefined;
    },
  });
}

/**
 * The names of the deferred tools that tool searches in the transcript found. The model has already received
 * the definitions of the found tools.
 */
export function listFoundTools(tape: JsonTape): ReadonlySet<string> {
  const found = new Set<string>();
  for (const message of itemsOf(tape, tape.root, 'messages')) {
    for (const block of itemsOf(tape, message, 'content')) {
      const content = tape.get(block, 'content');
      // A tool search that the provider runs returns an object. A tool search that the client runs returns a list.
      const references =
        content === undefined
          ? []
          : tape.kind(content) === 'array'
            ? tape.items(content)
            : itemsOf(tape, content, 'tool_references');
      for (const reference of references) {
        const name = tape.stringValue(tape.get(reference, 'tool_name'));
        if (name !== undefined) found.add(name);
      }
    }
  }
  return found;
}

function itemsOf(tape: JsonTape, object: JsonNode, member: string): JsonNode[] {
  const array = tape.get(object, member);
  return array === undefined ? [] : tape.items(array);
}
