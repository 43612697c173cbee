import type { AnswerChoice, ChatAnswer, JsonObject } from '@gateway/interchange';
import type { AnswerDefaults } from '../../common/format.ts';
import { own } from '../own.ts';
import { mapToRawReason } from '../stop-reasons.ts';
import { renderUsage } from '../token-usage.ts';
import { renderAnswerBlock } from './render-answer-block.ts';

/** A plain answer: the first choice, since the format has one. What Anthropic said beyond the interchange is said again. */
export function renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject {
  const { usage: rawUsage, ...members } = own.read(answer);
  const [choice] = answer.choices;
  const usage = answer.usage ?? { inputTokens: 0, outputTokens: 0 };
  return {
    id: answer.id ?? defaults.id,
    type: 'message',
    role: 'assistant',
    model: answer.model ?? defaults.model,
    content: choice === undefined ? [] : renderContent(choice, answer.format === 'messages'),
    stop_reason: choice === undefined ? null : renderReason(choice, answer.format === 'messages'),
    stop_sequence: null,
    usage: rawUsage ?? renderUsage(usage),
    ...members,
    ...own.read(choice),
  };
}

/** Empty texts stand beside the calls of many providers' messages, and Anthropic takes none back. */
function renderContent({ parts }: AnswerChoice, isOwnFormat: boolean): JsonObject[] {
  const shown = isOwnFormat ? parts : parts.filter((part) => part.type !== 'text' || part.text !== '');
  return shown.map(renderAnswerBlock).filter((block) => block !== undefined);
}

function renderReason({ finishReason, rawReason }: AnswerChoice, isOwnFormat: boolean): string | null {
  const mapped = finishReason === undefined ? null : mapToRawReason(finishReason);
  return isOwnFormat ? (rawReason ?? mapped) : mapped;
}
