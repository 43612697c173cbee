import type {
  AnswerChoice,
  ChatAnswer,
  ChatPart,
  JsonObject,
  TextPart,
  ThinkingPart,
} from '@gateway/interchange';
import { asObject, asText, isObject, optional } from '../../json/read-members.ts';
import { mapToRawReason } from '../shared/finish-reasons.ts';
import { readOwn } from '../shared/own-members.ts';
import { renderUsage } from '../shared/token-usage.ts';
import type { AnswerDefaults } from '../../common/format.ts';
import { annotateParts } from './annotations.ts';
import { renderToolCall } from '../shared/tools.ts';

/**
 * Renders a non-streaming response. The response includes the provider's extra fields if the provider uses
 * the same format.
 */
export function renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject {
  const { usage: rawUsage, ...members } = readOwn(answer);
  return {
    id: answer.id ?? defaults.id,
    object: 'chat.completion',
    created: answer.createdAt ?? defaults.createdAt,
    model: answer.model ?? defaults.model,
    choices: answer.choices.map((choice) => renderChoice(choice, answer.format === 'chat-completions')),
    ...optional('usage', answer.usage === undefined ? undefined : (rawUsage ?? renderUsage(answer.usage))),
    ...members,
  };
}

function renderChoice(choice: AnswerChoice, isOwnFormat: boolean): JsonObject {
  const { finishReason, rawReason } = choice;
  const mapped = finishReason === undefined ? null : mapToRawReason(finishReason);
  return {
    index: choice.index,
    message: {
      role: 'assistant',
      ...renderAnswerParts(choice.parts),
      ...annotateParts(choice.parts),
      ...readOwn({ extensions: choice.messageExtensions }),
    },
    finish_reason: isOwnFormat ? (rawReason ?? mapped) : mapped,
    ...readOwn(choice),
  };
}

/**
 * The field in which most compatible providers send reasoning. The gateway uses the field `reasoning_content`
 * unless the response uses another field.
 */
const reasoningField = 'reasoning_content';
const contentList = 'content[]';

/** Renders response parts as fields of an assistant message. */
function renderAnswerParts(parts: readonly ChatPart[]): JsonObject {
  const calls = parts.filter((part) => part.type === 'tool-call').map(renderToolCall);
  return {
    content: renderContent(parts),
    ...renderThinking(parts),
    ...optional('refusal', joinTexts(parts.filter((part) => part.type === 'refusal'))),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Renders content as a string, or as the list or object that the provider sent. */
function renderContent(parts: readonly ChatPart[]): string | JsonObject | JsonObject[] | null {
  const object = parts.map((part) => readOwn(part).content).find(isObject);
  if (object !== undefined) return object;
  const listed = parts.filter(
    (part) =>
      (part.type === 'opaque' && readOwn(part).part !== undefined) || readOwn(part).field === contentList,
  );
  if (listed.length > 0) return parts.map(renderListed).filter((part) => part !== undefined);
  return joinTexts(parts.filter((part) => part.type === 'text')) ?? null;
}

function renderListed(part: ChatPart): JsonObject | undefined {
  if (part.type === 'opaque') return asObject(readOwn(part).part);
  if (part.type === 'text') return renderContentPart(part, part.text);
  return part.type === 'thinking' && isListedThinking(part) ? renderContentPart(part, part.text) : undefined;
}

/** Renders an element of Mistral's content list, which contains text or thinking. */
export function renderContentPart(
  part: Pick<TextPart | ThinkingPart, 'type' | 'extensions'>,
  text: string,
): JsonObject {
  const rest = asObject(readOwn(part).part) ?? {};
  return part.type === 'text'
    ? { type: 'text', text, ...rest }
    : { type: 'thinking', thinking: [{ type: 'text', text }], ...rest };
}

function renderThinking(parts: readonly ChatPart[]): JsonObject {
  const members: Record<string, string> = {};
  for (const part of parts) {
    if (part.type !== 'thinking' || isListedThinking(part)) continue;
    const field = asText(readOwn(part).field) ?? reasoningField;
    members[field] = (members[field] ?? '') + part.text;
  }
  return members;
}

function isListedThinking(part: ChatPart): boolean {
  return part.type === 'thinking' && readOwn(part).field === contentList;
}

function joinTexts(parts: readonly { readonly text: string }[]): string | undefined {
  return parts.length === 0 ? undefined : parts.map((part) => part.text).join('');
}
