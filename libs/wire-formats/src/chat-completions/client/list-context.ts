import type { ContextPart } from '../../common/format.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { readRole } from './outline-message.ts';

/** The parts of the messages from an index on. Images, audio and what is unknown are no parts. */
export function listContext(tape: JsonTape, from: number): ContextPart[] {
  const messages = tape.get(tape.root, 'messages');
  if (messages === undefined) return [];
  return tape.items(messages).flatMap((node, index) => (index < from ? [] : listParts(tape, node, index)));
}

function listParts(tape: JsonTape, node: JsonNode, message: number): ContextPart[] {
  const speaker = readRole(tape, tape.get(node, 'role'));
  const content = tape.get(node, 'content');
  const texts = content === undefined ? [] : textNodes(tape, content);
  const calls = speaker === 'assistant' ? listCalls(tape, tape.get(node, 'tool_calls')) : [];
  const canChange = speaker === 'user' || speaker === 'tool';
  const parts = texts.map((text) => ({
    message,
    speaker,
    range: canChange ? tape.range(text) : undefined,
    text: () => tape.stringValue(text) ?? '',
  }));
  return [...parts, ...calls.map((text) => ({ message, speaker, range: undefined, text }))];
}

function textNodes(tape: JsonTape, content: JsonNode): JsonNode[] {
  if (tape.kind(content) === 'string') return [content];
  return tape.items(content).flatMap((part) => {
    const text = tape.get(part, 'text');
    return text !== undefined && tape.kind(text) === 'string' ? [text] : [];
  });
}

/** Calls as text: the name, and the arguments as the model wrote them. */
function listCalls(tape: JsonTape, calls: JsonNode | undefined): (() => string)[] {
  if (calls === undefined) return [];
  return tape.items(calls).flatMap((call) => {
    const body = tape.get(call, 'function') ?? tape.get(call, 'custom');
    if (body === undefined) return [];
    const read = (name: string): string => tape.stringValue(tape.get(body, name)) ?? '';
    return [() => `${read('name')} ${read('arguments')}${read('input')}`];
  });
}
