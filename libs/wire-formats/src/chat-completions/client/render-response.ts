import type { AnswerChoice, ChatAnswer, JsonObject } from '@gateway/interchange';
import { optional } from '../../json/read-members.ts';
import { mapToRawReason } from '../finish-reasons.ts';
import { readOwn } from '../own-extensions.ts';
import { renderUsage } from '../token-usage.ts';
import type { AnswerDefaults } from '../../common/format.ts';
import { annotateParts } from './annotations.ts';
import { renderAnswerParts } from './render-parts.ts';

/** A plain answer. What a provider of this very format said beyond the interchange is said again. */
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
