import type { MessageOutline, MessageRole, ToolCallOutline } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { outlineTexts } from '../../common/outline-request.ts';
import { hasCacheMarker, readName } from '../shared/tools.ts';
import type { CallPlace, ContextPart } from '../../common/format.ts';

/** Reads only known fields of a message. The provider validates messages with an unknown shape. */
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

/**
 * The roles in `mapRole`, most frequent first. Comparing raw bytes avoids decoding the strings.
 */
const roles = ['user', 'assistant', 'tool', 'system', 'developer', 'function'] as const;

function readRole(tape: JsonTape, node: JsonNode | undefined): MessageRole {
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

/**
 * Lists the text and tool calls in the messages from index `from` onward. Images, audio and unknown parts are
 * skipped.
 */
export function listContext(tape: JsonTape, from: number): ContextPart[] {
  const messages = tape.get(tape.root, 'messages');
  if (messages === undefined) return [];
  return tape.items(messages).flatMap((node, index) => (index < from ? [] : listParts(tape, node, index)));
}

function listParts(tape: JsonTape, node: JsonNode, message: number): ContextPart[] {
  const speaker = readRole(tape, tape.get(node, 'role'));
  const content = tape.get(node, 'content');
  const texts = content === undefined ? [] : contextTexts(tape, content);
  const calls = speaker === 'assistant' ? listCallParts(tape, tape.get(node, 'tool_calls'), message) : [];
  const canChange = speaker === 'user' || speaker === 'tool';
  const parts = texts.map((text): ContextPart => {
    const range = tape.range(text);
    const own = { message, speaker, range: canChange ? range : undefined, source: [range] };
    return { ...own, text: () => tape.stringValue(text) ?? '' };
  });
  return [...parts, ...calls];
}

function contextTexts(tape: JsonTape, content: JsonNode): JsonNode[] {
  if (tape.kind(content) === 'string') return [content];
  return tape.items(content).flatMap((part) => {
    const text = tape.get(part, 'text');
    return text !== undefined && tape.kind(text) === 'string' ? [text] : [];
  });
}

/** Lists each tool call's name and arguments, exactly as the model wrote them. */
function listCallParts(tape: JsonTape, calls: JsonNode | undefined, message: number): ContextPart[] {
  if (calls === undefined) return [];
  return tape.items(calls).flatMap((call): ContextPart[] => {
    const body = tape.get(call, 'function') ?? tape.get(call, 'custom');
    if (body === undefined) return [];
    const nodes = ['name', 'arguments', 'input'].map((member) => tape.get(body, member));
    const read = (node: JsonNode | undefined): string => tape.stringValue(node) ?? '';
    const text = (): string => `${read(nodes[0])} ${read(nodes[1])}${read(nodes[2])}`;
    const source = nodes.flatMap((node) => (node === undefined ? [] : tape.range(node)));
    return [{ message, speaker: 'assistant', range: undefined, source, text }];
  });
}

/** Lists the function calls in the transcript, in order. Malformed function calls are skipped. */
export function listCalls(tape: JsonTape): CallPlace[] {
  const messages = tape.get(tape.root, 'messages');
  if (messages === undefined) return [];
  return tape.items(messages).flatMap((message) => {
    const calls = tape.get(message, 'tool_calls');
    return calls === undefined ? [] : tape.items(calls).flatMap((call) => placeCall(tape, call));
  });
}

function placeCall(tape: JsonTape, call: JsonNode): CallPlace[] {
  const body = tape.get(call, 'function');
  if (body === undefined) return [];
  const name = tape.get(body, 'name');
  const given = tape.get(body, 'arguments');
  const calledName = tape.stringValue(name);
  if (name === undefined || calledName === undefined || given === undefined) return [];
  if (tape.kind(given) !== 'string') return [];
  return [
    {
      id: tape.stringValue(tape.get(call, 'id')) ?? '',
      name: calledName,
      nameRange: tape.range(name),
      argumentsRange: tape.range(given),
      isText: true,
      argumentsText: () => tape.stringValue(given) ?? '',
    },
  ];
}
