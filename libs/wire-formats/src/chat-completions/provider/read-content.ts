import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asList, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { ownExtensions, withOwn } from '../shared/own-members.ts';
import { addText, endOpenBlock, type ReadStep } from './stream-state.ts';
import type { ChoiceState } from './stream-state.ts';

/** Members in which reasoning comes: DeepSeek's, and OpenRouter's and Groq's. One of them is read. */
export const reasoningFields = ['reasoning_content', 'reasoning'] as const;

/** Text, or Mistral's list of text and thinking. */
export const readContent: ReadStep = (state, { message, whole }, told) => {
  const { content } = message;
  if (typeof content === 'string') {
    // Empty content stands in most first chunks; in a plain answer it is what the model said.
    if (content === '' && !whole) return state;
    return addText(state, { kind: 'text', field: 'content' }, content, {}, told);
  }
  let current = state;
  for (const part of asList(content)) current = readPart(current, part, whole, told);
  return current;
};

function readPart(state: ChoiceState, part: unknown, whole: boolean, told: StreamEvent[]): ChoiceState {
  const read = isObject(part) ? readTextPart(part) : undefined;
  if (read === undefined) return addOpaquePart(state, part, told);
  // In a plain answer each part of the list is a block of its own.
  const from = whole ? endOpenBlock(state, told) : state;
  const field = 'content[]';
  const start = { extensions: ownExtensions({ field, ...optional('part', read.rest) }) };
  return addText(from, { kind: read.kind, field }, read.text, start, told);
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

function addOpaquePart(state: ChoiceState, part: unknown, told: StreamEvent[]): ChoiceState {
  const closed = endOpenBlock(state, told);
  const block = closed.nextBlock;
  const opaque = { type: 'opaque', extensions: ownExtensions({ part }) } as const;
  told.push({ type: 'part', choice: state.index, block, part: opaque });
  return { ...closed, nextBlock: block + 1 };
}

/** The member that a message's reasoning is in. */
export function findReasoning(message: JsonObject): string | undefined {
  for (const name of reasoningFields) if ((asText(message[name]) ?? '') !== '') return name;
  return undefined;
}

export const readReasoning: ReadStep = (state, { message }, told) => {
  const field = findReasoning(message);
  if (field === undefined) return state;
  return addText(state, { kind: 'thinking', field }, asText(message[field]) ?? '', withOwn({ field }), told);
};

export const readRefusal: ReadStep = (state, { message }, told) => {
  const text = asText(message.refusal) ?? '';
  return text === '' ? state : addText(state, { kind: 'refusal', field: 'refusal' }, text, {}, told);
};
