import type { ChatAnswer, JsonObject } from '@gateway/interchange';
import type { AnswerDefaults } from '../../common/format.ts';
import { createAnswerContext, renderContent } from '../blocks/render-block.ts';
import { own } from '../own.ts';
import { mapToStopReason } from '../stop-reasons.ts';
import { renderUsage } from '../token-usage.ts';

/**
 * A plain answer: the first, where a provider gave several, since the format knows one. What a provider of this very
 * format said beyond the interchange is said again.
 */
export function renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject {
  const { usage: rawUsage, ...members } = own.read(answer);
  const choice = answer.choices[0];
  const mapped = mapToStopReason(choice?.finishReason ?? 'other');
  return {
    output: {
      message: {
        role: 'assistant',
        content: renderContent(choice?.parts ?? [], createAnswerContext()),
        ...own.read({ extensions: choice?.messageExtensions ?? {} }),
      },
    },
    stopReason: answer.format === 'converse' ? (choice?.rawReason ?? mapped) : mapped,
    usage: rawUsage ?? renderUsage(answer.usage ?? { inputTokens: 0, outputTokens: 0 }),
    // The SDK's types promise it; what is not known of it is nothing.
    ...(answer.format === 'converse' ? {} : { metrics: { latencyMs: defaults.latencyMs ?? 0 } }),
    ...members,
  };
}
