import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asList, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { ownExtensions, withOwn } from '../shared/own-members.ts';
import { addText, endOpenBlock, type ReadStep, type ChoiceState } from './stream-state.ts';

/**
 * Fields that contain reasoning. DeepSeek uses `reasoning_content`. OpenRouter and Groq use `reasoning`. The
 * parser reads the first reasoning field that is not empty.
 */
export const reasoningFields = ['reasoning_content', 'reasoning'] as const;

/** Reads a string, an object, or Mistral's list of text parts and thinking parts. */
export const readContent: ReadStep = (state, { message, whole }, events) => {
  const { content } = message;
  if (typeof content === 'string') {
    // Most streams start with an empty content string, which the parser skips.
    // In a non-streaming response, an empty content string is real model output.
    if (content === '' && !whole) return state;
    // After a content list, Mistral sends further text as plain strings.
    const field = state.open?.kind === 'text' ? state.open.field : 'content';
    return addText(state, { kind: 'text', field }, content, {}, events);
  }
  if (isObject(content)) return readObject(state, content, events);
  let current = state;
  for (const part of asList(content)) current = readPart(current, part, whole, events);
  return current;
};

/**
 * Some providers send the content as an object, which is either a text part or structured output. Clients of
 * other formats receive the part's text, or the structured output as JSON text.
 */
function readObject(state: ChoiceState, content: JsonObject, events: StreamEvent[]): ChoiceState {
  const text = readTextPart(content)?.text ?? JSON.stringify(content);
  const start = { extensions: ownExtensions({ content }) };
  return addText(state, { kind: 'text', field: 'content' }, text, start, events);
}

function readPart(state: ChoiceState, part: unknown, whole: boolean, events: StreamEvent[]): ChoiceState {
  const read = isObject(part) ? readTextPart(part) : undefined;
  if (read === undefined) return addOpaquePart(state, part, events);
  // In a non-streaming response, each part in the content list is a separate block.
  const from = whole ? endOpenBlock(state, events) : state;
  const field = 'content[]';
  const start = { extensions: ownExtensions({ field, ...optional('part', read.rest) }) };
  return addText(from, { kind: read.kind, field }, read.text, start, events);
}

function readTextPart(
  part: JsonObject,
): { kind: 'text' | 'thinking'; text: string; rest: JsonObject } | undefined {
  if (part.type === 'text' && typeof part.text === 'string') {
    return { kind: 'text', text: part.text, rest: otherMembers(part, ['type', 'text']) };
  }
  if (part.type !== 'thinking' || !Array.isArray(part.thinking)) return undefined;
  const texts = asList(part.thinking).map(
    (inner) => (isObject(inner) ? asText(inner.text) : undefined) ?? '',
  );
  return { kind: 'thinking', text: texts.join(''), rest: otherMembers(part, ['type', 'thinking']) };
}

function addOpaquePart(state: ChoiceState, part: unknown, events: StreamEvent[]): ChoiceState {
  const closed = endOpenBlock(state, events);
  const block = closed.nextBlock;
  const opaque = { type: 'opaque', extensions: ownExtensions({ part }) } as const;
  events.push({ type: 'part', choice: state.index, block, part: opaque });
  return { ...closed, nextBlock: block + 1 };
}

/** The message field that contains the reasoning. */
export function findReasoning(message: JsonObject): string | undefined {
  for (const name of reasoningFields) if ((asText(message[name]) ?? '') !== '') return name;
  return undefined;
}

export const readReasoning: ReadStep = (state, { message }, events) => {
  const field = findReasoning(message);
  if (field === undefined) return state;
  const text = asText(message[field]) ?? '';
  return addText(state, { kind: 'thinking', field }, text, withOwn({ field }), events);
};

export const readRefusal: ReadStep = (state, { message }, events) => {
  const text = asText(message.refusal) ?? '';
  return text === '' ? state : addText(state, { kind: 'refusal', field: 'refusal' }, text, {}, events);
};
