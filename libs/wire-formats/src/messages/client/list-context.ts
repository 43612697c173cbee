import type { MessageRole } from '@gateway/interchange';
import type { ContextPart } from '../../common/format.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';

/** The parts of the messages from an index on; from 0 on, the system prompt's first. Thinking, images and documents are no parts. */
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
  return [{ message, speaker, range: undefined, text }];
}

/** A text, or the text blocks of a list. */
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
  // Citations point at places in the text.
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
  return {
    message,
    speaker,
    range: canChange ? tape.range(node) : undefined,
    text: () => tape.stringValue(node) ?? '',
  };
}
