import type { JsonObject } from '@gateway/interchange';
import { asList, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { ownExtensions, withOwn } from '../own-extensions.ts';
import { addText, chainSteps, endOpenBlock, type ChoiceStep, type ReadStep } from './choice-step.ts';
import type { ChoiceState } from './stream-state.ts';

/** Members in which reasoning comes: DeepSeek's, and OpenRouter's and Groq's. One of them is read. */
export const reasoningFields = ['reasoning_content', 'reasoning'] as const;

/** Text, or Mistral's list of text and thinking. */
export const readContent: ReadStep = (state, { message, whole }) => {
  const { content } = message;
  if (typeof content === 'string') {
    // Empty content stands in most first chunks; in a plain answer it is what the model said.
    return content === '' && !whole
      ? [state, []]
      : addText(state, { kind: 'text', field: 'content' }, content, {});
  }
  return chainSteps(
    state,
    asList(content).map((part) => (current: ChoiceState) => readPart(current, part, whole)),
  );
};

function readPart(state: ChoiceState, part: unknown, whole: boolean): ChoiceStep {
  const read = isObject(part) ? readTextPart(part) : undefined;
  if (read === undefined) return addOpaquePart(state, part);
  // In a plain answer each part of the list is a block of its own.
  const [from, ends] = whole ? endOpenBlock(state) : [state, []];
  const field = 'content[]';
  const [next, events] = addText(from, { kind: read.kind, field }, read.text, {
    extensions: ownExtensions({ field, ...optional('part', read.rest) }),
  });
  return [next, [...ends, ...events]];
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

function addOpaquePart(state: ChoiceState, part: unknown): ChoiceStep {
  const [closed, ends] = endOpenBlock(state);
  const block = closed.nextBlock;
  const opaque = { type: 'opaque', extensions: ownExtensions({ part }) } as const;
  return [
    { ...closed, nextBlock: block + 1 },
    [...ends, { type: 'part', choice: state.index, block, part: opaque }],
  ];
}

/** The member that a message's reasoning is in. */
export function findReasoning(message: JsonObject): string | undefined {
  return reasoningFields.find((name) => (asText(message[name]) ?? '') !== '');
}

export const readReasoning: ReadStep = (state, { message }) => {
  const field = findReasoning(message);
  if (field === undefined) return [state, []];
  return addText(state, { kind: 'thinking', field }, asText(message[field]) ?? '', withOwn({ field }));
};

export const readRefusal: ReadStep = (state, { message }) => {
  const text = asText(message.refusal) ?? '';
  return text === '' ? [state, []] : addText(state, { kind: 'refusal', field: 'refusal' }, text, {});
};
