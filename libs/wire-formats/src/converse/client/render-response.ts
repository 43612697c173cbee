import type { ChatAnswer, JsonObject, PublicError } from '@gateway/interchange';
import type { AnswerDefaults, RenderedError } from '../../common/format.ts';
import { createAnswerContext, renderContent } from '../shared/render-block.ts';
import { own } from '../shared/own-members.ts';
import { mapToStopReason, renderUsage } from '../shared/response-end.ts';
import { mapToException } from '../shared/exceptions.ts';

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

/** A status that HTTP does not name, and the SDK neither. */
const overloaded = 529;

/** An error answer, with everything that the SDK looks for: the message, and the exception's name in a header. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  return {
    status: error.status === overloaded ? 503 : error.status,
    headers: {
      'content-type': 'application/json',
      'x-amzn-errortype': mapToException(error),
      'x-amzn-requestid': requestId,
    },
    body: JSON.stringify({ message: error.message }),
  };
}
