import type { MessageRole } from '@gateway/interchange';
import type { ContextPart } from '../../common/format.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';

/**
 * The parts of the messages from an index on; from 0 on, the system prompt's first. A result that is a JSON value and no
 * text is the provider's to write out, and is never changed. Reasoning, images, documents and guarded texts are no parts.
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
  return [{ message, speaker, range, text: () => tape.stringValue(text) ?? tape.text(text) }];
}

function listCall(tape: JsonTape, block: JsonNode, message: number): ContextPart[] {
  const call = tape.get(block, 'toolUse');
  if (call === undefined) return [];
  const input = tape.get(call, 'input');
  const text = (): string =>
    `${tape.stringValue(tape.get(call, 'name')) ?? ''} ${input === undefined ? '' : tape.text(input)}`;
  return [{ message, speaker: 'assistant', range: undefined, text }];
}
